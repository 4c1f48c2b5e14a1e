// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3BlockingClient;
import com.hivemq.client.mqtt.mqtt3.message.publish.Mqtt3Publish;
import io.moquette.broker.Server;
import io.moquette.broker.config.MemoryConfig;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** The MQTT broker moquette and HiveMQ's client: messages of each quality of service. */
final class MqttProgram {

    private static final int MESSAGES = 100;
    private static final long DEADLINE_SECONDS = 60;

    private MqttProgram() {}

    public static void main(String[] arguments) throws Exception {
        int port = Results.closedPort();
        Properties properties = new Properties();
        properties.setProperty("host", "127.0.0.1");
        properties.setProperty("port", Integer.toString(port));
        properties.setProperty("allow_anonymous", "true");
        properties.setProperty("persistence_enabled", "false");
        properties.setProperty("telemetry_enabled", "false");
        Server broker = new Server();
        broker.startServer(new MemoryConfig(properties));
        Mqtt3BlockingClient subscriber = connect("subscriber", port);
        Mqtt3BlockingClient publisher = connect("publisher", port);
        try (Mqtt3BlockingClient.Mqtt3Publishes publishes = subscriber.publishes(MqttGlobalPublishFilter.SUBSCRIBED)) {
            for (MqttQos quality : MqttQos.values()) {
                exchange(subscriber, publisher, publishes, quality);
            }
        }
        publisher.disconnect();
        subscriber.disconnect();
        try {
            connect("refused", Results.closedPort());
        } catch (RuntimeException e) {
            Results.printFailure("refused", e);
        }
        broker.stopServer();
    }

    private static void exchange(
            Mqtt3BlockingClient subscriber,
            Mqtt3BlockingClient publisher,
            Mqtt3BlockingClient.Mqtt3Publishes publishes,
            MqttQos quality)
            throws InterruptedException {
        String topic = "topic/" + quality;
        Results.print(
                quality + " granted",
                subscriber
                        .subscribeWith()
                        .topicFilter(topic)
                        .qos(quality)
                        .send()
                        .getReturnCodes());
        long sum = 0;
        for (int i = 0; i < MESSAGES; i++) {
            publisher
                    .publishWith()
                    .topic(topic)
                    .qos(quality)
                    .payload(Integer.toString(i).getBytes(StandardCharsets.UTF_8))
                    .send();
            // One at a time: the broker drops messages at most once while a subscriber's channel is not writable.
            Optional<Mqtt3Publish> received = publishes.receive(DEADLINE_SECONDS, TimeUnit.SECONDS);
            sum += Integer.parseInt(new String(received.orElseThrow().getPayloadAsBytes(), StandardCharsets.UTF_8));
        }
        Results.print(quality + " sum of messages", sum);
    }

    private static Mqtt3BlockingClient connect(String name, int port) {
        Mqtt3BlockingClient client = MqttClient.builder()
                .useMqttVersion3()
                .identifier(name)
                .serverHost("127.0.0.1")
                .serverPort(port)
                .buildBlocking();
        Results.print(name, client.connect().getReturnCode());
        return client;
    }
}
