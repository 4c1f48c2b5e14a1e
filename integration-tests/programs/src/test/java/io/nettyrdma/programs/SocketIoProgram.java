// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import com.corundumstudio.socketio.Configuration;
import com.corundumstudio.socketio.SocketIOServer;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** netty-socketio's server. The client writes Socket.IO's frames on a WebSocket of Vert.x. */
final class SocketIoProgram {

    private static final int MESSAGES = 1_000;
    private static final long DEADLINE_SECONDS = 60;

    private SocketIoProgram() {}

    public static void main(String[] arguments) throws Exception {
        int port = Results.closedPort();
        Configuration configuration = new Configuration();
        configuration.setHostname("127.0.0.1");
        configuration.setPort(port);
        SocketIOServer server = new SocketIOServer(configuration);
        server.addEventListener("echo", String.class, (client, text, ack) -> client.sendEvent("echoed", text));
        server.start();
        Vertx vertx = Vertx.vertx();
        run(vertx.createWebSocketClient(), port);
        Results.await(vertx.close().toCompletionStage());
        server.stop();
    }

    private static void run(WebSocketClient client, int port) throws Exception {
        BlockingQueue<String> frames = new LinkedBlockingQueue<>();
        // Frames of Engine.IO: 0 opens, 4 is a message; of Socket.IO in a message: 0 connects, 2 is an event.
        WebSocket socket = Results.await(client.webSocket()
                .textMessageHandler(frames::add)
                .connect(new WebSocketConnectOptions()
                        .setHost("127.0.0.1")
                        .setPort(port)
                        .setURI("/socket.io/?EIO=4&transport=websocket"))
                .toCompletionStage());
        Results.print("opened", next(frames).charAt(0));
        socket.writeTextMessage("40");
        Results.print("connected", next(frames).substring(0, 2));
        long characters = 0;
        for (int i = 0; i < MESSAGES; i++) {
            socket.writeTextMessage("42[\"echo\",\"message " + i + "\"]");
        }
        String last = "";
        for (int i = 0; i < MESSAGES; i++) {
            last = next(frames);
            characters += last.length();
        }
        Results.print("characters of messages", characters);
        Results.print("last", last);
        Results.await(socket.close().toCompletionStage());
    }

    private static String next(BlockingQueue<String> frames) throws InterruptedException {
        while (true) {
            String frame = frames.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
            if (frame == null) {
                throw new IllegalStateException("no frame for " + DEADLINE_SECONDS + " seconds");
            }
            if (!frame.equals("2")) {
                return frame;
            }
        }
    }
}
