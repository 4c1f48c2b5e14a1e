// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.verbs.ProviderKind;
import io.nettyrdma.verbs.spi.ExtendedProvider;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * RDMA verbs in software: iWARP over TCP (RFC 5040, 5041, 5044, 6581), in Java only, on the wire compatible with the
 * Linux driver {@code siw}. It has to be installed as DiSNI's provider before any object of DiSNI is made.
 *
 * <p>Keys are unpredictable, and every access is checked; memory is registered direct buffers, at addresses the
 * provider makes up. Immediate data and atomics are not part of RFC 5040 and are refused.
 *
 * <p>It serves event loops: an event channel made by {@link VerbsExtensions#openConfinedEventChannel()} belongs to one
 * thread, makes progress only inside that thread's calls and has no locks. What hangs on an event channel is created
 * with the context that {@code RdmaCmId.getVerbs()} of its ids returns.
 *
 * <p>Threading: any thread.
 */
public final class SoftProvider extends RdmaProvider implements ExtendedProvider {

    private static final int VERSION = 1;

    private final SoftDevice device;
    private final SoftVerbs verbs = new SoftVerbs();
    private final SoftCm cm = new SoftCm();
    private final SoftExtensions extensions;

    /** A provider with the defaults, changed by system properties. */
    public SoftProvider() {
        this(SoftProviderConfig.fromSystemProperties());
    }

    /** A provider with the given configuration, and a device of its own. */
    public SoftProvider(SoftProviderConfig config) {
        this(config, System::nanoTime, PeerLog::of);
    }

    /**
     * @param nanoTime the clock of all waits on sockets
     * @param logs     the log of what peers cause in a class
     */
    SoftProvider(SoftProviderConfig config, LongSupplier nanoTime, Function<Class<?>, PeerLog> logs) {
        device = new SoftDevice(
                config,
                nanoTime,
                logs.apply(ResponderStartup.class),
                logs.apply(SoftListener.class),
                logs.apply(TcpConnection.class));
        extensions = new SoftExtensions(device);
    }

    @Override
    public RdmaCm openCm() {
        return cm;
    }

    @Override
    public RdmaVerbs openVerbs() {
        return verbs;
    }

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public VerbsExtensions extensions() {
        return extensions;
    }

    @Override
    public ProviderKind kind() {
        return ProviderKind.SOFTWARE;
    }

    /** A snapshot of what is alive, for finding leaks. */
    public OpenResources openResources() {
        return new OpenResources(
                device.eventChannels.get(),
                device.ids.get(),
                device.queuePairs.get(),
                device.completionQueues.get(),
                device.completionChannels.get(),
                device.protectionDomains.get(),
                device.regions.size(),
                device.connections.get(),
                device.sharedFiles.get());
    }

    /**
     * Counts of live objects.
     *
     * @param eventChannels      event channels
     * @param ids                identifiers, listeners included
     * @param queuePairs         queue pairs
     * @param completionQueues   completion queues
     * @param completionChannels completion channels
     * @param protectionDomains  protection domains
     * @param memoryRegions      registered memory regions
     * @param connections        TCP connections, including those still closing
     * @param sharedFiles        files in memory that connections share with peers on this host
     */
    public record OpenResources(
            int eventChannels,
            int ids,
            int queuePairs,
            int completionQueues,
            int completionChannels,
            int protectionDomains,
            int memoryRegions,
            int connections,
            int sharedFiles) {

        /** Nothing at all. */
        public static final OpenResources NONE = new OpenResources(0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}
