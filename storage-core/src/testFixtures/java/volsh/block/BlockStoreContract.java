package volsh.block;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every {@link BlockStore} promises. A backend's test implements {@link #open()} and inherits all of it. */
public interface BlockStoreContract {
    /** An empty store. */
    BlockStore open() throws Exception;

    /** Whether modified times are this machine's, so that they can be compared with its clock. */
    default boolean modifiedIsWallClock() {
        return true;
    }

    @Test
    default void whatWasPutIsRead() throws Exception {
        try (BlockStore store = open()) {
            store.put(key("a"), bytes("hello"));
            assertThat(read(store, key("a"), 0, 5)).isEqualTo("hello");
        }
    }

    @Test
    default void ofAllWhoPutOnceOneSucceeds() throws Exception {
        try (BlockStore store = open()) {
            var once = PutsOnce.of(store);
            assertThat(once.putIfAbsent(key("a"), bytes("mine"))).isTrue();
            assertThat(once.putIfAbsent(key("a"), bytes("yours"))).isFalse();
            assertThat(once.putIfAbsent(key("a"), bytes("min"))).isFalse();
            assertThat(once.putIfAbsent(key("a"), bytes("mine"))).as("said again").isTrue();
            assertThat(read(store, key("a"), 0, 10)).isEqualTo("mine");
            var winners = IntStream.range(0, 8).parallel()
                    .filter(i -> putOnce(once, key("race"), bytes("racer " + i))).boxed().toList();
            assertThat(winners).hasSize(1);
            assertThat(read(store, key("race"), 0, 10)).isEqualTo("racer " + winners.getFirst());
            assertThat(list(store, "")).hasSize(2);
        }
    }

    private static boolean putOnce(PutsOnce store, BlockKey key, ByteBuffer data) {
        try {
            return store.putIfAbsent(key, data);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Test
    default void anEmptyBlockIsABlock() throws Exception {
        try (BlockStore store = open()) {
            store.put(key("a"), bytes(""));
            assertThat(read(store, key("a"), 0, 5)).isEmpty();
            assertThat(list(store, "")).extracting(BlockStore.Listed::size).containsExactly(0L);
        }
    }

    @Test
    default void rangesStopAtTheEndOfTheBlock() throws Exception {
        try (BlockStore store = open()) {
            store.put(key("a"), bytes("hello"));
            assertThat(read(store, key("a"), 1, 3)).isEqualTo("ell");
            assertThat(read(store, key("a"), 3, 100)).isEqualTo("lo");
            assertThat(read(store, key("a"), 4, 1)).isEqualTo("o");
            assertThat(read(store, key("a"), 2, 0)).isEmpty();
        }
    }

    @Test
    default void behindTheEndThereIsNothing() throws Exception {
        try (BlockStore store = open()) {
            store.put(key("a"), bytes("hello"));
            assertThat(read(store, key("a"), 5, 1)).isEmpty();
            assertThat(read(store, key("a"), 6, 100)).isEmpty();
            assertThat(read(store, key("a"), 1L << 40, 100)).isEmpty();
        }
    }

    @Test
    default void anAbsentBlockIsNamed() throws Exception {
        try (BlockStore store = open()) {
            store.put(key("blocks/aa/present"), bytes("x"));
            for (String absent : List.of("absent", "blocks/aa/absent", "blocks/bb/absent", "blocks/aa")) {
                assertThatThrownBy(() -> store.get(key(absent), 0, ByteBuffer.allocate(1)))
                        .isInstanceOf(NoSuchBlockException.class);
            }
            assertThatThrownBy(() -> store.get(key("blocks/aa/absent"), 0, ByteBuffer.allocate(1)))
                    .hasMessageContaining("blocks/aa/absent");
        }
    }

    @Test
    default void puttingTheSameAgainChangesNothing() throws Exception {
        try (BlockStore store = open()) {
            store.put(key("a"), bytes("hello"));
            store.put(key("a"), bytes("hello"));
            assertThat(read(store, key("a"), 0, 9)).isEqualTo("hello");
            assertThat(list(store, "")).hasSize(1);
        }
    }

    @Test
    default void deleteIsIdempotent() throws Exception {
        try (BlockStore store = open()) {
            store.put(key("blocks/aa/a"), bytes("hello"));
            store.delete(key("blocks/aa/a"));
            store.delete(key("blocks/aa/a"));
            store.delete(key("blocks/never/was"));
            assertThatThrownBy(() -> store.get(key("blocks/aa/a"), 0, ByteBuffer.allocate(1)))
                    .isInstanceOf(NoSuchBlockException.class);
            assertThat(list(store, "")).isEmpty();
        }
    }

    @Test
    default void listsInKeyOrder() throws Exception {
        try (BlockStore store = open()) {
            var keys = List.of("a", "a-b", "a.b/c", "a0", "b/c", "b/c-d/e", "b/d", "b0", "c_/x");
            for (String text : shuffled(keys)) {
                store.put(key(text), bytes(text));
            }
            assertThat(list(store, "")).extracting(listed -> listed.key().text()).containsExactlyElementsOf(keys);
            assertThat(list(store, "")).extracting(BlockStore.Listed::size)
                    .containsExactlyElementsOf(keys.stream().map(text -> (long) text.length()).toList());
        }
    }

    @Test
    default void listsBelowAPrefix() throws Exception {
        try (BlockStore store = open()) {
            for (String text : List.of("blocks/aa/1", "blocks/ab/2", "blocks/ab/23", "blocks/b/3", "other")) {
                store.put(key(text), bytes("x"));
            }
            assertThat(list(store, "blocks/a")).extracting(listed -> listed.key().text())
                    .containsExactly("blocks/aa/1", "blocks/ab/2", "blocks/ab/23");
            assertThat(list(store, "blocks/ab/2")).extracting(listed -> listed.key().text())
                    .containsExactly("blocks/ab/2", "blocks/ab/23");
            assertThat(list(store, "blocks/ab/")).hasSize(2);
            assertThat(list(store, "none/")).isEmpty();
            assertThat(list(store, "blocks/c")).isEmpty();
        }
    }

    @Test
    default void listsWhenABlockWasPut() throws Exception {
        try (BlockStore store = open()) {
            store.put(key("a"), bytes("x"));
            Instant modified = list(store, "").getFirst().modified();
            if (modifiedIsWallClock()) {
                assertThat(Duration.between(modified, Instant.now()).abs()).isLessThan(Duration.ofMinutes(10));
            } else {
                assertThat(modified).isAfter(Instant.EPOCH);
            }
        }
    }

    @Test
    default void positionsAreKeptByPutAndMovedByGet() throws Exception {
        try (BlockStore store = open()) {
            String padded = "--hello--";
            for (ByteBuffer data : List.of(bytes(padded), direct(padded), bytes(padded).asReadOnlyBuffer())) {
                store.put(key("a"), data.position(2).limit(7));
                assertThat(data.position()).isEqualTo(2);
                assertThat(data.limit()).isEqualTo(7);
            }
            ByteBuffer slice = ByteBuffer.allocate(12).slice(2, 10);
            for (ByteBuffer target : List.of(ByteBuffer.allocate(10), ByteBuffer.allocateDirect(10), slice)) {
                assertThat(store.get(key("a"), 1, target.position(3).limit(6))).isEqualTo(3);
                assertThat(target.position()).isEqualTo(6);
                assertThat(target.limit()).isEqualTo(6);
                assertThat(UTF_8.decode(target.clear()).toString()).isEqualTo("\0\0\0ell\0\0\0\0");
            }
        }
    }

    @Test
    default void aLargeBlockComesBackWholeAndInPieces() throws Exception {
        try (BlockStore store = open()) {
            var large = new byte[5_000_001];
            new SplittableRandom(1).nextBytes(large);
            store.put(key("large"), ByteBuffer.allocateDirect(large.length).put(large).flip());
            var whole = ByteBuffer.allocateDirect(large.length + 7);
            assertThat(store.get(key("large"), 0, whole)).isEqualTo(large.length);
            assertThat(whole.flip()).isEqualTo(ByteBuffer.wrap(large));
            for (int at = 0; at < large.length; at += 1_234_567) {
                var piece = ByteBuffer.allocate(1_234_567);
                int count = store.get(key("large"), at, piece);
                assertThat(piece.flip()).isEqualTo(ByteBuffer.wrap(large, at, count));
            }
        }
    }

    @Test
    default void keysOfBlockIdsWork() throws Exception {
        try (BlockStore store = open()) {
            for (long id : new long[] {0, 1, 255, 256, (1L << 62) - 1, -1}) {
                store.put(BlockKey.of(id), bytes("block " + id));
                assertThat(read(store, BlockKey.of(id), 0, 99)).isEqualTo("block " + id);
            }
            assertThat(list(store, "blocks/")).hasSize(6);
        }
    }

    @Test
    default void manyMayPutTheSameBlockAtOnce() throws Exception {
        try (BlockStore store = open(); var threads = Executors.newFixedThreadPool(8)) {
            byte[] bytes = "the same bytes ".repeat(10_000).getBytes(UTF_8);
            var puts = IntStream.range(0, 32)
                    .mapToObj(i -> ByteBuffer.wrap(bytes))
                    .map(data -> CompletableFuture.runAsync(() -> put(store, key("same/key"), data), threads))
                    .toList();
            puts.forEach(CompletableFuture::join);
            assertThat(read(store, key("same/key"), 0, bytes.length + 1)).isEqualTo(new String(bytes, UTF_8));
            assertThat(list(store, "")).hasSize(1);
        }
    }

    @Test
    default void readersNeverSeeAPartOfABlock() throws Exception {
        try (BlockStore store = open(); var threads = Executors.newFixedThreadPool(2)) {
            var data = ByteBuffer.allocateDirect(300_000);
            var stop = new AtomicBoolean();
            var reader = CompletableFuture.supplyAsync(() -> readUntil(stop, store), threads);
            for (int round = 0; round < 25; round++) {
                put(store, key("seen/r%d".formatted(round)), data.duplicate());
            }
            stop.set(true);
            assertThat(reader.join()).as("blocks seen").isPositive();
        }
    }

    private static int readUntil(AtomicBoolean stop, BlockStore store) {
        int seen = 0;
        for (int round = 0; round < 25; ) {
            boolean last = stop.get();
            try {
                int count = store.get(key("seen/r%d".formatted(round)), 0, ByteBuffer.allocateDirect(300_001));
                assertThat(count).isEqualTo(300_000);
                seen++;
                round++;
            } catch (NoSuchBlockException notYet) {
                assertThat(last).as("all blocks put, but one is absent").isFalse();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        return seen;
    }

    private static void put(BlockStore store, BlockKey key, ByteBuffer data) {
        try {
            store.put(key, data);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static List<String> shuffled(List<String> texts) {
        var shuffled = new ArrayList<>(texts);
        Collections.shuffle(shuffled, new Random(1));
        return shuffled;
    }

    static BlockKey key(String text) {
        return new BlockKey(text);
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    static ByteBuffer direct(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    /** Up to {@code length} bytes from {@code offset}, as text. */
    static String read(BlockStore store, BlockKey key, long offset, int length) throws IOException {
        var target = ByteBuffer.allocate(length);
        int count = store.get(key, offset, target);
        assertThat(target.position()).isEqualTo(count);
        return UTF_8.decode(target.flip()).toString();
    }

    static List<BlockStore.Listed> list(BlockStore store, String prefix) throws IOException {
        try (var listed = store.list(prefix)) {
            return listed.toList();
        }
    }
}
