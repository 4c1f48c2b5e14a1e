// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Slots of one loop's memory, none of which is registered: nothing here asks a device. */
class RegisteredMemoryPoolTest {

    private final RegisteredMemoryPool pool =
            new RegisteredMemoryPool(null, UnpooledByteBufAllocator.DEFAULT, () -> {});

    @AfterEach
    void close() {
        pool.close();
        assertThat(pool.capacityBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 4096, 1024 * 1024, 16 * 1024 * 1024})
    void memoryOfAPeakIsGivenBackButForWhatIsKept(int slotBytes) {
        List<RegisteredByteBuf> taken = new ArrayList<>();
        while (pool.capacityBytes() < 5L * SlabList.IDLE_BYTES) {
            taken.add(pool.allocate(slotBytes));
        }
        taken.forEach(RegisteredByteBuf::release);
        assertThat(pool.capacityBytes()).isEqualTo(SlabList.IDLE_BYTES);
    }

    @Test
    void whatIsKeptIsFreedForOthersAndWhatIsInUseIsNot() {
        RegisteredByteBuf held = pool.allocate(4096);
        pool.allocate(256).release();
        pool.allocate(1024 * 1024).release();
        assertThat(RegisteredMemoryPool.freeKept()).isTrue();
        assertThat(pool.capacityBytes()).isEqualTo(1024 * 1024);
        held.setZero(0, 4096).release();
        pool.allocate(256).setZero(0, 256).release(); // of a new slab
        assertThat(pool.capacityBytes()).isEqualTo(2 * 1024 * 1024);
    }

    /** A channel that stands sends from it, when the device has no key left. */
    @Test
    void oneSlabOfEachSizeIsNotFreedForItsKey() {
        RegisteredByteBuf first = pool.allocate(1024 * 1024);
        RegisteredByteBuf second = pool.allocate(1024 * 1024);
        first.release();
        second.release();
        pool.allocate(256).release();
        assertThat(KeptSlabs.freeAllButOne()).isTrue();
        assertThat(pool.capacityBytes()).isEqualTo(2 * 1024 * 1024);
    }

    /** Without the atomic claim, a slot would be written while its slab is freed, which ends the JVM or the test. */
    @Test
    void threadsThatNeedMemoryFreeWhatTheLoopUsesAgainAndAgain() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Thread needy = new Thread(() -> {
            while (!over.get()) {
                RegisteredMemoryPool.freeKept();
            }
        });
        needy.start();
        try {
            for (int i = 0; i < 200; i++) {
                RegisteredByteBuf buffer = pool.allocate(1024 * 1024);
                buffer.setLong(0, i).setLong(1024 * 1024 - 8, i);
                assertThat(buffer.getLong(0)).isEqualTo(buffer.getLong(1024 * 1024 - 8));
                buffer.release();
            }
        } finally {
            over.set(true);
            needy.join();
        }
    }

    @Test
    void memoryOfAPeakIsGivenBackAlthoughSomeOfItIsHeld() {
        RegisteredByteBuf first = pool.allocate(4096);
        List<RegisteredByteBuf> taken = new ArrayList<>();
        while (pool.capacityBytes() < 5L * SlabList.IDLE_BYTES) {
            taken.add(pool.allocate(4096));
        }
        RegisteredByteBuf last = pool.allocate(4096);
        taken.forEach(RegisteredByteBuf::release);
        assertThat(pool.capacityBytes()).isLessThanOrEqualTo(SlabList.IDLE_BYTES + 2 * 1024 * 1024);
        first.release();
        last.release();
    }

    @Test
    void noSlotIsInUseTwiceHoweverBuffersComeAndGoAndGrow() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<RegisteredByteBuf> live = new ArrayList<>();
        List<Byte> marks = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (live.size() < 100 && random.nextInt(5) < 3) {
                byte mark = (byte) random.nextInt();
                RegisteredByteBuf buffer = pool.allocate(1 + random.nextInt(2000));
                buffer.setZero(0, buffer.capacity()).setByte(0, mark);
                live.add(buffer);
                marks.add(mark);
            } else if (!live.isEmpty()) {
                int index = random.nextInt(live.size());
                RegisteredByteBuf buffer = live.get(index);
                if (random.nextInt(4) == 0 && buffer.capacity() < 100_000) {
                    buffer.capacity(buffer.capacity() * 3);
                    buffer.setZero(1, buffer.capacity() - 1);
                } else {
                    assertThat(buffer.getByte(0)).as("seed %d", seed).isEqualTo(marks.remove(index));
                    live.remove(index).release();
                }
            }
        }
        Set<List<Object>> slots = new HashSet<>();
        for (int i = 0; i < live.size(); i++) {
            RegisteredByteBuf buffer = live.get(i);
            assertThat(buffer.isMoved()).isFalse();
            assertThat(buffer.getByte(0)).as("seed %d", seed).isEqualTo(marks.get(i));
            assertThat(slots.add(List.of(System.identityHashCode(buffer.slab()), buffer.slot())))
                    .as("seed %d: slot of its own", seed)
                    .isTrue();
            buffer.release();
        }
    }

    @Test
    void slotThatABufferHasOutgrownIsItsOwnUntilTheRelease() {
        RegisteredByteBuf buffer = pool.allocate(256);
        RegisteredSlab left = buffer.slab();
        int slot = buffer.slot();
        buffer.writeZero(1000).writeZero(10_000);
        List<RegisteredByteBuf> others = new ArrayList<>();
        for (int i = 0; i < 4096; i++) { // all slots of the slab
            RegisteredByteBuf other = pool.allocate(256);
            assertThat(other.slab() == left && other.slot() == slot).isFalse();
            others.add(other);
        }
        buffer.release();
        RegisteredByteBuf again = pool.allocate(256);
        assertThat(again.slab()).isSameAs(left);
        assertThat(again.slot()).isEqualTo(slot);
        again.release();
        others.forEach(RegisteredByteBuf::release);
    }

    static List<ByteBufAllocator> allocators() {
        return List.of(
                new AdaptiveByteBufAllocator(true),
                new PooledByteBufAllocator(true),
                new UnpooledByteBufAllocator(true),
                new UnpooledByteBufAllocator(false));
    }

    @ParameterizedTest
    @MethodSource("allocators")
    void partOfABufferIsAppendedToAnyOther(ByteBufAllocator allocator) {
        RegisteredByteBuf buffer = pool.allocate(300);
        for (int i = 0; i < 300; i++) {
            buffer.writeByte(i);
        }
        ByteBuf to = allocator.buffer(100).writeZero(20);
        buffer.copyTo(to, 250, 50);
        assertThat(to.readableBytes()).isEqualTo(70);
        assertThat(to.slice(20, 50)).isEqualTo(buffer.slice(250, 50));
        buffer.copyTo(to, 0, 200); // more than it has room for
        assertThat(to.slice(70, 200)).isEqualTo(buffer.slice(0, 200));
        for (int[] outside : new int[][] {{-1, 1}, {300, 1}, {0, 301}, {0, -1}}) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> buffer.copyTo(to, outside[0], outside[1]));
        }
        assertThat(to.readableBytes()).isEqualTo(270);
        to.release();
        buffer.release();
    }

    /** As handlers that append a few octets rely on, such as flow control. */
    @Test
    void restOfTheSlotIsWrittenWithoutAMove() {
        RegisteredByteBuf buffer = pool.allocate(64);
        buffer.writerIndex(64);
        RegisteredSlab slab = buffer.slab();
        int slot = buffer.slot();
        assertThat(buffer.maxFastWritableBytes()).isEqualTo(slab.slotBytes() - 64);

        buffer.writeZero(buffer.maxFastWritableBytes());
        assertThat(buffer.slab()).isSameAs(slab);
        assertThat(buffer.slot()).isEqualTo(slot);
        assertThat(buffer.maxFastWritableBytes()).isZero();
        buffer.release();

        RegisteredByteBuf moved = pool.allocate(256);
        moved.capacity(RegisteredMemoryPool.MAX_SLOT_BYTES + 1).writerIndex(RegisteredMemoryPool.MAX_SLOT_BYTES);
        assertThat(moved.maxFastWritableBytes()).isOne();
        moved.release();
    }

    @Test
    void bufferThatGrowsBeyondTheLargestSlotOrElsewhereLeavesRegisteredMemory() throws Exception {
        RegisteredByteBuf large = pool.allocate(RegisteredMemoryPool.MAX_SLOT_BYTES);
        large.setByte(5, 7);
        large.capacity(RegisteredMemoryPool.MAX_SLOT_BYTES + 1);
        assertThat(large.isMoved()).isTrue();
        assertThat(large.getByte(5)).isEqualTo((byte) 7);
        large.release();

        RegisteredByteBuf elsewhere = pool.allocate(256);
        elsewhere.capacity(1000).setByte(5, 7);
        Thread other = new Thread(() -> elsewhere.capacity(5000));
        other.start();
        other.join();
        assertThat(elsewhere.isMoved()).isTrue();
        assertThat(elsewhere.getByte(5)).isEqualTo((byte) 7);
        elsewhere.release();
    }

    @Test
    void keyThatThePeerHasInvalidatedBelongsToOneUseOfASlot() {
        RegisteredByteBuf buffer = pool.allocate(256);
        assertThat(buffer.hasInvalidated()).isFalse();
        buffer.onKeyInvalidated(0); // a key like any other
        assertThat(buffer.hasInvalidated()).isTrue();
        assertThat(buffer.invalidatedKey()).isZero();
        buffer.release();
        RegisteredByteBuf again = pool.allocate(256);
        assertThat(again).isSameAs(buffer);
        assertThat(again.hasInvalidated()).isFalse();
        again.release();
    }

    @Test
    void grownBufferThatOutlivesItsLoopFreesAllItsSlots() {
        RegisteredByteBuf buffer = pool.allocate(256);
        buffer.capacity(1000).capacity(5000);
        pool.close();
        assertThat(pool.capacityBytes()).isPositive();
        buffer.release();
    }
}
