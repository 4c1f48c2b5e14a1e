// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.PulsarStandalone;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;

/**
 * Pulsar's broker with a bookie, as one node, and its client. The broker sets itself up by HTTP, which Jetty serves
 * without Netty: that port stays TCP.
 */
final class PulsarProgram {

    private static final int MESSAGES = 3_000;
    private static final int AT_ONCE = 64;
    private static final int BIG_BYTES = 4_000_000;
    private static final int TWICE = 100;
    private static final int DEADLINE_SECONDS = 60;
    // The client tries again for so long.
    private static final int REFUSED_SECONDS = 3;

    private PulsarProgram() {}

    public static void main(String[] arguments) throws Exception {
        // RocketMQ's JSON, which is on the same class path, would read the requests in place of the broker's.
        System.setProperty("fastjson.auto.discoverable", "false");
        Path folder = Files.createTempDirectory("pulsar");
        PulsarStandalone node = newNode(folder);
        node.start();
        String url = node.getBrokerServiceUrl();
        try (PulsarClient client = connect(url, DEADLINE_SECONDS)) {
            run(client);
        }
        node.close();
        try (PulsarClient client = connect(url, REFUSED_SECONDS);
                Producer<byte[]> producer = newProducer(client, "refused", false)) {
            Results.print("connected to", producer.getTopic());
        } catch (PulsarClientException e) {
            Results.print("refused", e.getClass().getName());
        }
    }

    private static PulsarStandalone newNode(Path folder) throws Exception {
        Path bookie = folder.resolve("bookie.properties");
        Files.writeString(
                bookie,
                """
                allowLoopback=true
                advertisedAddress=127.0.0.1
                diskUsageThreshold=0.999
                diskUsageWarnThreshold=0.99
                journalSyncData=false
                """);
        PulsarStandalone node = PulsarStandalone.builder()
                .withAdvertisedAddress("127.0.0.1")
                .withZkDir(folder.resolve("zookeeper").toString())
                .withBkDir(folder.resolve("bookkeeper").toString())
                .withBkPort(Results.closedPort())
                .withNumOfBk(1)
                .build();
        node.setConfigFile(bookie.toString());
        ServiceConfiguration configuration = node.getConfig();
        configuration.setBindAddress("127.0.0.1");
        configuration.setBrokerServicePort(Optional.of(Results.closedPort()));
        configuration.setWebServicePort(Optional.of(Integer.getInteger(Results.TCP_PORT)));
        configuration.setManagedLedgerDefaultEnsembleSize(1);
        configuration.setManagedLedgerDefaultWriteQuorum(1);
        configuration.setManagedLedgerDefaultAckQuorum(1);
        // Nothing here uses what these start.
        configuration.setLoadBalancerEnabled(false);
        configuration.setTopicLevelPoliciesEnabled(false);
        configuration.setSystemTopicEnabled(false);
        // Else its event loops wait for a quiet time, one after the other.
        configuration.setBrokerShutdownTimeoutMs(0);
        return node;
    }

    private static PulsarClient connect(String url, int seconds) throws PulsarClientException {
        return PulsarClient.builder()
                .serviceUrl(url)
                .operationTimeout(seconds, TimeUnit.SECONDS)
                .build();
    }

    private static void run(PulsarClient client) throws Exception {
        for (boolean batches : new boolean[] {false, true}) {
            String topic = batches ? "batches" : "singles";
            try (Consumer<byte[]> consumer = newConsumer(client, topic, "sums");
                    Producer<byte[]> producer = newProducer(client, topic, batches)) {
                Results.print(topic + " sent", Results.sumOf(MESSAGES, AT_ONCE, i -> producer.sendAsync(number(i))
                        .thenApply(id -> 1)));
                long sum = 0;
                for (int i = 0; i < MESSAGES; i++) {
                    Message<byte[]> message = receive(consumer);
                    sum += number(message);
                    consumer.acknowledge(message);
                }
                Results.print(topic + ", sum", sum);
            }
        }
        try (Consumer<byte[]> consumer = newConsumer(client, "big", "big");
                Producer<byte[]> producer = newProducer(client, "big", false)) {
            producer.send(Results.bytes(BIG_BYTES));
            Message<byte[]> message = receive(consumer);
            Results.print("big", Results.sum(message.getValue()));
            consumer.acknowledge(message);
        }
        refuse(client);
    }

    /** Refuses each message once. */
    private static void refuse(PulsarClient client) throws Exception {
        try (Producer<byte[]> producer = newProducer(client, "refusals", false);
                Consumer<byte[]> consumer = newConsumer(client, "refusals", "refusals")) {
            for (int i = 0; i < TWICE; i++) {
                producer.send(number(i));
            }
            long first = 0;
            long again = 0;
            for (int received = 0; received < 2 * TWICE; received++) {
                Message<byte[]> message = receive(consumer);
                if (message.getRedeliveryCount() == 0) {
                    first += number(message);
                    consumer.negativeAcknowledge(message);
                } else {
                    again += number(message);
                    consumer.acknowledge(message);
                }
            }
            Results.print("refused messages' sum", first);
            Results.print("delivered again, sum", again);
        }
    }

    private static Producer<byte[]> newProducer(PulsarClient client, String topic, boolean batches)
            throws PulsarClientException {
        return client.newProducer(Schema.BYTES)
                .topic(topic)
                .enableBatching(batches)
                .sendTimeout(DEADLINE_SECONDS, TimeUnit.SECONDS)
                .create();
    }

    private static Consumer<byte[]> newConsumer(PulsarClient client, String topic, String subscription)
            throws PulsarClientException {
        return client.newConsumer(Schema.BYTES)
                .topic(topic)
                .subscriptionName(subscription)
                .subscriptionType(SubscriptionType.Shared)
                .negativeAckRedeliveryDelay(1, TimeUnit.SECONDS)
                .subscribe();
    }

    private static Message<byte[]> receive(Consumer<byte[]> consumer) throws PulsarClientException {
        Message<byte[]> message = consumer.receive(DEADLINE_SECONDS, TimeUnit.SECONDS);
        if (message == null) {
            throw new IllegalStateException("no message in time");
        }
        return message;
    }

    private static byte[] number(int number) {
        return Integer.toString(number).getBytes(StandardCharsets.UTF_8);
    }

    private static int number(Message<byte[]> message) {
        return Integer.parseInt(new String(message.getValue(), StandardCharsets.UTF_8));
    }
}
