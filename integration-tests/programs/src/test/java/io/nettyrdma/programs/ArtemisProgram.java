// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;

/** An embedded broker of Artemis, and its client. */
final class ArtemisProgram {

    private static final String QUEUE = "queue";
    private static final int MESSAGES = 1_000;
    private static final int LARGE_BYTES = 5_000_000;
    private static final long DEADLINE_MILLIS = 60_000;

    private ArtemisProgram() {}

    public static void main(String[] arguments) throws Exception {
        Configuration configuration = new ConfigurationImpl()
                .setPersistenceEnabled(false)
                .setSecurityEnabled(false)
                .addAcceptorConfiguration("tcp", "tcp://127.0.0.1:0");
        EmbeddedActiveMQ broker = new EmbeddedActiveMQ().setConfiguration(configuration);
        broker.start();
        int port = broker.getActiveMQServer()
                .getRemotingService()
                .getAcceptor("tcp")
                .getActualPort();
        try (ServerLocator locator = ActiveMQClient.createServerLocator("tcp://127.0.0.1:" + port);
                ClientSessionFactory factory = locator.createSessionFactory();
                ClientSession session = factory.createSession()) {
            session.createQueue(QueueConfiguration.of(QUEUE).setRoutingType(RoutingType.ANYCAST));
            session.start();
            try (ClientProducer producer = session.createProducer(QUEUE);
                    ClientConsumer consumer = session.createConsumer(QUEUE)) {
                small(session, producer, consumer);
                large(session, producer, consumer);
            }
        }
        try (ServerLocator locator = ActiveMQClient.createServerLocator("tcp://127.0.0.1:" + Results.closedPort())) {
            locator.createSessionFactory();
        } catch (ActiveMQException e) {
            Results.printFailure("refused", e);
        }
        broker.stop();
    }

    private static void small(ClientSession session, ClientProducer producer, ClientConsumer consumer)
            throws ActiveMQException {
        for (int i = 0; i < MESSAGES; i++) {
            ClientMessage message = session.createMessage(false);
            message.getBodyBuffer().writeInt(i);
            producer.send(message);
        }
        long sum = 0;
        for (int i = 0; i < MESSAGES; i++) {
            ClientMessage message = consumer.receive(DEADLINE_MILLIS);
            sum += message.getBodyBuffer().readInt();
            message.acknowledge();
        }
        Results.print("sum of messages", sum);
    }

    private static void large(ClientSession session, ClientProducer producer, ClientConsumer consumer)
            throws ActiveMQException {
        ClientMessage message = session.createMessage(true);
        message.setBodyInputStream(new ByteArrayInputStream(Results.bytes(LARGE_BYTES)));
        producer.send(message);
        ClientMessage received = consumer.receive(DEADLINE_MILLIS);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        received.saveToOutputStream(bytes);
        received.acknowledge();
        Results.print("large", received.isLargeMessage() + " " + Results.sum(bytes.toByteArray()));
    }
}
