// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Netty's own test suite over channels of byte streams. {@code mvn verify -Pdropin} runs it.
 *
 * <p>Each class is a class of {@code io.netty.testsuite.transport.socket} with the bootstraps of
 * {@link io.nettyrdma.dropin.Transport}, once with NIO as the control, once with RDMA and once with guests. The same
 * classes and the same assertions apply to all. The suite combines every transport with NIO; here each transport is
 * combined only with itself, because a TCP peer does not speak RDMA.
 *
 * <p>Tests that need more than other bootstraps:
 * <ul>
 *   <li>{@code SocketShutdownOutputBySelfTest}: the peer is a {@link java.net.Socket}. Its four enabled tests are
 *       written again with {@link io.nettyrdma.dropin.BlockingPeer} and the same assertions.
 *   <li>{@code SocketShutdownOutputByPeerTest}: the peer is a {@link java.net.Socket}. The abstract class above it runs
 *       with a channel as the peer.
 *   <li>{@code SocketChannelNotYetConnectedTest.readMustBePendingUntilChannelIsActive}: the server is one of NIO. The
 *       test is written again with a server of the transport under test.
 *   <li>{@code SocketMultipleConnectTest}: its own choice of bootstraps leaves out all transports but NIO, and is
 *       replaced.
 *   <li>{@code SocketDataReadInitialStateTest.testAutoReadOffNoDataReadUntilReadCalled}: the client waits for its
 *       connection before the listener is read. Over RDMA no connection is accepted before that, as with rsockets;
 *       for RDMA the test is written again with the same assertions, and the client waits afterwards.
 *   <li>{@code SocketConnectionAttemptTest}: the host that does not answer is on the internet. Here it is a
 *       {@link io.nettyrdma.dropin.SilentHost}.
 * </ul>
 *
 * <p>Lines at level WARN that NIO writes, too, are declared for all transports: in {@code SuiteSocketCloseForciblyTest}
 * a reset that the client does not handle. Options that a transport does not know, as NIO's TCP Fast Open, are declared
 * for that transport. RDMA may not write more than NIO does.
 *
 * <p>Skipped, with every transport:
 * <ul>
 *   <li>{@code SocketSslClientRenegotiateTest}, 64 tests: they assume a TLS library that supports renegotiation, and
 *       BoringSSL does not.
 *   <li>{@code ServerSocketSuspendTest} and
 *       {@code SocketShutdownOutputBySelfTest.testWriteAfterShutdownOutputNoWritabilityChange}: disabled in the suite.
 * </ul>
 *
 * <p>Skipped with RDMA: {@code SocketHalfClosedTest.testAutoCloseFalseDoesShutdownOutput}. The peer resets the
 * connection while the event loop is blocked, and the loop writes before it reads. On TCP the write fails, because the
 * kernel has received the reset. Over RDMA the end is a message like any other; the event loop takes it when it polls,
 * and a write before that succeeds, as every write does that is lost on the way. And
 * {@code testAllDataReadEventTriggeredAfterHalfClosure}: it asks twice for one read, and waits for an end that it has
 * not asked for unless the first byte comes between the two. That is so over NIO, too, where the suite passes it
 * without a test.
 *
 * <p>The third transport is {@code guests}: channels of NIO on event loops of RDMA. It passes what the control passes.
 * Skipped is {@code SocketHalfClosedTest.testAllDataReadEventTriggeredAfterHalfClosure}.
 * Datagrams and Unix domain sockets are channels of NIO with every transport, so guests with RDMA.
 *
 * <p>Left out: {@code SocketSslLargeCertificateTest}, which takes no bootstraps and always uses NIO, the tests of
 * datagrams that need IPv6 or multicast, and {@code DatagramConnectNotExistsTest}, which reads the address of the
 * silent host before it is set.
 */
package io.nettyrdma.dropin;
