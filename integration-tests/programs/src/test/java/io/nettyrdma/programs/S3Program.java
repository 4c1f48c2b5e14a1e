// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.Server;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/** The S3 client of the AWS SDK. The server is Armeria's, and holds objects in a map. */
final class S3Program {

    private static final String BUCKET = "bucket";
    private static final int BIG_BYTES = 8 << 20;
    private static final int OBJECTS = 200;
    private static final int AT_ONCE = 32;

    private S3Program() {}

    public static void main(String[] arguments) throws Exception {
        Server server = newServer();
        server.start().join();
        try (S3AsyncClient client = newClient(server.activeLocalPort())) {
            Results.await(put(client, "big", Results.bytes(BIG_BYTES)));
            Results.print("big", Results.sum(Results.await(get(client, "big")).asByteArray()));
            long sum = Results.sumOf(OBJECTS, AT_ONCE, i -> put(client, "object-" + i, Results.bytes(1_000 + i))
                    .thenCompose(done -> get(client, "object-" + i))
                    .thenApply(bytes -> bytes.asByteArray().length));
            Results.print("bytes of objects", sum);
            try {
                Results.await(get(client, "none"));
            } catch (Exception e) {
                Results.printFailure("no such object", e);
            }
        }
        try (S3AsyncClient client = newClient(Results.closedPort())) {
            Results.await(get(client, "big"));
        } catch (Exception e) {
            Results.printFailure("refused", e);
        }
        server.stop().join();
    }

    private static CompletionStage<?> put(S3AsyncClient client, String key, byte[] bytes) {
        return client.putObject(request -> request.bucket(BUCKET).key(key), AsyncRequestBody.fromBytes(bytes));
    }

    private static CompletionStage<ResponseBytes<GetObjectResponse>> get(S3AsyncClient client, String key) {
        return client.getObject(request -> request.bucket(BUCKET).key(key), AsyncResponseTransformer.toBytes());
    }

    private static S3AsyncClient newClient(int port) {
        return S3AsyncClient.builder()
                .endpointOverride(URI.create("http://127.0.0.1:" + port))
                .region(Region.EU_CENTRAL_1)
                .forcePathStyle(true)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("id", "secret")))
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .serviceConfiguration(service -> service.chunkedEncodingEnabled(false))
                .httpClientBuilder(NettyNioAsyncHttpClient.builder())
                .build();
    }

    private static Server newServer() {
        Map<String, HttpData> objects = new ConcurrentHashMap<>();
        return Server.builder()
                .http(new InetSocketAddress("127.0.0.1", 0))
                .maxRequestLength(0)
                .serviceUnder(
                        "/",
                        (context, request) ->
                                HttpResponse.of(request.aggregate().thenApply(whole -> response(objects, whole))))
                .build();
    }

    private static HttpResponse response(Map<String, HttpData> objects, AggregatedHttpRequest request) {
        if (request.method() == HttpMethod.PUT) {
            objects.put(request.path(), request.content());
            return HttpResponse.of(ResponseHeaders.of(HttpStatus.OK, "ETag", "\"1\""));
        }
        HttpData object = objects.get(request.path());
        if (object == null) {
            String error = "<Error><Code>NoSuchKey</Code><Message>no such object</Message></Error>";
            return HttpResponse.of(HttpStatus.NOT_FOUND, MediaType.APPLICATION_XML_UTF_8, error);
        }
        return HttpResponse.of(HttpStatus.OK, MediaType.OCTET_STREAM, object);
    }
}
