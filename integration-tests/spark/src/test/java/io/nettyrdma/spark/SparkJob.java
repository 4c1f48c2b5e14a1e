// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.spark;

import static org.apache.spark.sql.functions.broadcast;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.sum;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * A job with what moves data in Spark: sort, group, broadcast join and collect. It prints a line for each result, and
 * one each time a task of the sort has fetched data of another executor.
 */
public final class SparkJob {

    static final String RESULT = "result ";
    static final String FETCHED = "fetched";

    private static final int PARTITIONS = 8;
    private static final int VALUE_BYTES = 1000;
    private static final int KEYS = 10_007;
    private static final int BROADCAST_BYTES = 20_000_000;

    private SparkJob() {}

    /** Arguments: the rows of the sort, of about 1 KB each. */
    public static void main(String[] args) {
        int rows = Integer.parseInt(args[0]);
        SparkSession spark = SparkSession.builder().appName("rdma").getOrCreate();
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        context.sc().addSparkListener(new Fetches());
        long began = System.nanoTime();
        print("sort", sort(context, rows));
        System.out.println("sorted in " + (System.nanoTime() - began) / 1_000_000 + " ms");

        Dataset<Row> numbers = spark.range(0, 1_000_000, 1, PARTITIONS).withColumn("k", expr("id * 7919 % " + KEYS));
        print(
                "group",
                numbers.groupBy("k")
                        .agg(sum("id").as("s"), count("id").as("c"))
                        .agg(sum(expr("s % 1000003 * c")))
                        .first());
        Dataset<Row> squares = spark.range(0, KEYS).toDF("k").withColumn("v", expr("k * k"));
        print(
                "broadcast join",
                numbers.join(broadcast(squares), "k").agg(sum(expr("v % 1009"))).first());
        Broadcast<byte[]> bytes = context.broadcast(new byte[BROADCAST_BYTES]);
        print(
                "broadcast",
                context.parallelize(List.of(1, 2, 3, 4), 4)
                        .map(factor -> bytes.value().length * factor)
                        .reduce(Integer::sum));
        print(
                "collect",
                numbers.orderBy("k", "id").limit(100_000).collectAsList().stream()
                        .mapToLong(row -> row.getLong(0) * row.getLong(1))
                        .sum());
        spark.stop();
    }

    private static void print(String what, Object result) {
        System.out.println(RESULT + what + ": " + result);
    }

    private static long sort(JavaSparkContext context, int rows) {
        List<Integer> seeds = IntStream.range(0, PARTITIONS).boxed().toList();
        JavaPairRDD<Long, byte[]> random =
                context.parallelize(seeds, PARTITIONS).flatMapToPair(seed -> rows(seed, rows / PARTITIONS));
        return random.sortByKey(true, PARTITIONS)
                .mapPartitions(SparkJob::checksum)
                .reduce(Long::sum);
    }

    private static Iterator<Tuple2<Long, byte[]>> rows(int seed, int number) {
        Random random = new Random(seed);
        return Stream.generate(() -> {
                    byte[] value = new byte[VALUE_BYTES];
                    random.nextBytes(value);
                    return new Tuple2<>(random.nextLong(), value);
                })
                .limit(number)
                .iterator();
    }

    private static Iterator<Long> checksum(Iterator<Tuple2<Long, byte[]>> rows) {
        long sum = 0;
        long last = Long.MIN_VALUE;
        while (rows.hasNext()) {
            Tuple2<Long, byte[]> row = rows.next();
            if (row._1() < last) {
                throw new IllegalStateException("unsorted: " + row._1() + " behind " + last);
            }
            last = row._1();
            sum += row._1() * Arrays.hashCode(row._2());
        }
        return List.of(sum).iterator();
    }

    private static final class Fetches extends SparkListener {
        @Override
        public void onTaskEnd(SparkListenerTaskEnd end) {
            if (end.taskMetrics() != null
                    && end.taskMetrics().shuffleReadMetrics().remoteBytesRead() > 0) {
                System.out.println(FETCHED);
            }
        }
    }
}
