package volsh.block.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.block.BlockStoreContract.key;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.block.Abort;
import volsh.block.BlockStore;
import volsh.block.Hedged;
import volsh.block.StoreUrl;
import volsh.hang.Eventually;
import volsh.s3test.Fault;
import volsh.s3test.FaultProxy;
import volsh.s3test.Faults;
import volsh.s3test.S3Server;

/** A real S3 server that sometimes does not answer: gets are ended from outside, and hedged ones hardly notice. */
@Tag("wait")
final class S3HedgedTest {
    private static final int SIZE = 300_000;

    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private final Faults faults = new Faults(0, EnumSet.of(Fault.STALL), seed);
    private final byte[] block = new byte[SIZE];
    private FaultProxy proxy;
    private String bucket;

    @BeforeEach
    void start() throws IOException {
        var server = S3Server.shared();
        bucket = server.newBucket();
        proxy = new FaultProxy(server.port(), faults);
        new SplittableRandom(seed).nextBytes(block);
        try (var store = open("60s")) {
            store.put(key("block"), ByteBuffer.wrap(block));
        }
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
    }

    private S3BlockStore open(String timeout) throws IOException {
        return S3BlockStore.open(StoreUrl.of("s3://%s/p?endpoint=%s&anonymous=true&timeout=%s"
                .formatted(bucket, proxy.endpoint(), timeout)));
    }

    private void assertReads(BlockStore store, int offset, ByteBuffer target) throws IOException {
        int length = target.remaining();
        assertThat(store.get(key("block"), offset, target)).isEqualTo(length);
        assertThat(target.flip().mismatch(ByteBuffer.wrap(block, offset, length))).as("wrong byte").isEqualTo(-1);
    }

    /** Every answer that does not come would be an error after a minute, as nobody tries again here. */
    @Test
    void whatDoesNotAnswerIsAskedForAgain() throws IOException {
        var random = new Random(seed);
        try (var store = new Hedged(open("60s"))) {
            readUnspoilt(store, random, 100);   // to learn from
            for (int i = 0; i < 10; i++) {
                // a slow machine may have spent them all
                Eventually.holds("20 gets are not hedged, and allow one that is", () -> {
                    long hedges = store.counts().hedges();
                    readUnspoilt(store, random, 20);
                    return store.counts().hedges() == hedges;
                });
                faults.spoilNext();      // and never the second one
                assertReads(store, random.nextInt(SIZE - 100_000),
                        i % 2 == 0 ? ByteBuffer.allocateDirect(100_000) : ByteBuffer.allocate(100_000));
            }
            System.out.printf("S3 hedged seed %d: %s, %d requests, %d not answered%n", seed, store.counts(),
                    proxy.requests(), faults.total());
            assertThat(faults.total()).as("answers that did not come").isEqualTo(10);
            assertThat(store.counts().won()).isGreaterThanOrEqualTo(faults.total());
            assertThat(store.counts().hedges()).isBetween(store.counts().won(), store.counts().gets() / 20);
        }
    }

    private void readUnspoilt(BlockStore store, Random random, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            assertReads(store, random.nextInt(SIZE - 100_000),
                    i % 2 == 0 ? ByteBuffer.allocateDirect(100_000) : ByteBuffer.allocate(100_000));
        }
    }

    /** Negative control. */
    @Test
    void unhedgedItIsAnError() throws IOException {
        try (var store = open("300ms")) {
            faults.setRate(1);
            assertThatThrownBy(() -> assertReads(store, 0, ByteBuffer.allocate(100))).isInstanceOf(IOException.class);
        }
    }

    @Test
    void anAbortedGetEndsWhateverItWaitsFor() throws Exception {
        faults.setRate(1);
        try (var store = open("60s")) {
            var abort = new Abort();
            var told = new AtomicReference<IOException>();
            var done = new CountDownLatch(1);
            Thread.ofPlatform().start(() -> {
                try {
                    store.get(key("block"), 0, ByteBuffer.allocate(SIZE), abort);
                } catch (IOException ended) {
                    told.set(ended);
                }
                done.countDown();
            });
            Eventually.holds("an answer does not come", () -> faults.total() > 0);
            long before = System.nanoTime();
            abort.call();
            Eventually.open("the get has ended", done);
            System.out.printf("aborted after %d us: %s%n", (System.nanoTime() - before) / 1000,
                    told.get().getMessage());
            assertThat(told.get()).hasMessageNotContaining("timed out");
            faults.setRate(0);
            assertReads(store, 0, ByteBuffer.allocate(SIZE));
            abort.call();   // does nothing to what comes later
            assertReads(store, 0, ByteBuffer.allocate(SIZE));
            assertThatThrownBy(() -> store.get(key("block"), 0, ByteBuffer.allocate(1), abort))
                    .as("aborted before it began")
                    .isInstanceOf(IOException.class);
        }
    }
}
