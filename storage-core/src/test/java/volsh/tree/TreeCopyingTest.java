package volsh.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.RetryPolicy;
import volsh.block.StoreUrl;
import volsh.block.UnavailableException;
import volsh.fs.Owner;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectQuery;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;
import volsh.s3test.Fault;
import volsh.s3test.FaultProxy;
import volsh.s3test.Faults;
import volsh.s3test.S3Server;
import volsh.sync.SyncSettings;
import volsh.sync.TreeSync;
import volsh.transfer.Observer;
import volsh.transfer.Summary;

/** Copies to and from a bucket: in parts, through faults, interrupted and repeated, of objects that change. */
@Tag("volume")
@Tag("data")
final class TreeCopyingTest {
    private static final int PART = ObjectUpload.PART_BYTES_MIN;
    private static final CopySettings ONE_BY_ONE = new CopySettings(1, PART, Optional.empty(), false, false);
    private static final RetryPolicy PATIENCE =
            new RetryPolicy(40, Duration.ofMillis(2), Duration.ofMillis(100), Duration.ofMinutes(5));

    @TempDir
    private Path directory;

    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private FaultProxy proxy;
    private OpenTrees trees;
    private Places places;
    private UploadRecords records;
    private String bucket;

    @BeforeEach
    void open() throws IOException {
        var server = S3Server.shared();
        proxy = new FaultProxy(server.port(), new Faults(0, EnumSet.complementOf(EnumSet.of(Fault.STALE_404)), seed));
        bucket = "s3://" + server.newBucket() + "/";
        records = new UploadRecords(directory.resolve("uploads"));
        trees = new OpenTrees(path -> {
            throw new IOException("no volumes here");
        }, Owner.ROOT, PATIENCE, records);
        places = new Places(name -> Optional.empty(),
                new TreeMap<>(Map.of("endpoint", proxy.endpoint(), "anonymous", "true", "timeout", "1500ms")));
    }

    @AfterEach
    void close() throws IOException {
        trees.close();
        proxy.close();
    }

    private FileTree tree(String word) throws IOException {
        return trees.of(places.of(word));
    }

    private FileTree local(String name) throws IOException {
        return tree(directory.resolve(name).toString());
    }

    private Path file(String name, int size) throws IOException {
        byte[] bytes = new byte[size];
        new SplittableRandom(size).nextBytes(bytes);
        var path = directory.resolve(name);
        Files.createDirectories(path.getParent());
        return Files.write(path, bytes);
    }

    private static CopySettings settings(boolean checksum) {
        return new CopySettings(4, PART, Optional.empty(), checksum, false);
    }

    private Summary copy(FileTree from, FileTree to, Observer observer) throws IOException {
        try (var copying = new TreeCopying(from, to, settings(false), observer)) {
            copying.addBelow("", "");
            return copying.finish();
        }
    }

    @Test
    void copiesAreEqualThroughFaults() throws Exception {
        for (int i = 0; i < 40; i++) {
            file("from/d%d/f%d".formatted(i % 3, i), 100 + i * 331);
        }
        file("from/big", 2 * PART + 12_345);
        proxy.faults().setRate(0.1);
        var put = copy(local("from"), tree(bucket), Observer.NONE);
        assertThat(put.files()).as("seed %d", seed).isEqualTo(41);
        assertThat(put.failed()).isZero();
        var get = copy(tree(bucket), local("to"), Observer.NONE);
        proxy.faults().setRate(0);
        assertThat(get.failed()).as("seed %d", seed).isZero();
        assertThat(proxy.faults().total()).as("faults").isPositive();
        for (int i = 0; i < 40; i++) {
            String name = "d%d/f%d".formatted(i % 3, i);
            assertThat(directory.resolve("to/" + name)).as("seed %d", seed)
                    .hasSameBinaryContentAs(directory.resolve("from/" + name));
        }
        assertThat(Files.size(directory.resolve("to/big"))).isEqualTo(2 * PART + 12_345);
        assertThat(trees.bucket((Place.InBucket) places.of(bucket)).unfinished("")).isEmpty();
    }

    @Test
    void anInterruptedGetContinues() throws Exception {
        var big = file("from/big", 4 * PART);
        copy(local("from"), tree(bucket), Observer.NONE);
        Files.createDirectories(directory.resolve("to"));
        stopAfter(3L * PART + 1, tree(bucket), local("to"));
        assertThat(directory.resolve("to/big")).doesNotExist();
        spoilFirstPart();
        long before = proxy.requests();
        copy(tree(bucket), local("to"), Observer.NONE);
        assertThat(directory.resolve("to/big")).hasSameBinaryContentAs(big);
        assertThat(proxy.requests() - before).as("a listing, the spoiled part and the missing ones").isLessThan(4);
        try (var left = Files.list(directory.resolve("to"))) {
            assertThat(left).hasSize(1);
        }
    }

    /** What a disk may lose when the power fails: the list says the part is written, and its bytes are not those. */
    private void spoilFirstPart() throws IOException {
        try (var left = Files.list(directory.resolve("to"))) {
            var file = left.filter(path -> !path.toString().endsWith(".parts")).findFirst().get();
            try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), 1000);
            }
        }
    }

    @Test
    void whatAKilledPutLeftIsAbortedWhenItIsOfNoUse() throws Exception {
        var url = ((Place.InBucket) places.of(bucket)).bucket().url();
        var store = trees.bucket((Place.InBucket) places.of(bucket));
        var mine = store.upload("killed", ObjectHeaders.NONE);
        var early = store.upload("early", ObjectHeaders.NONE);
        store.upload("others", ObjectHeaders.NONE);
        dead(url, "killed", mine.id() + "\n", Duration.ZERO);
        dead(url, "early", "", Duration.ZERO);
        dead(url, "old", store.upload("old", ObjectHeaders.NONE).id() + "\n", Duration.ofHours(25));
        assertThat(early.id()).isNotEmpty();
        records.begin(url, "others", "");      // of a living process: this one
        file("from/big", PART + 1);
        copy(local("from"), tree(bucket), Observer.NONE);
        assertThat(store.unfinished("")).extracting(left -> left.key())
                .containsExactlyInAnyOrder("early", "killed", "others");
        tree(bucket).complete();
        assertThat(store.unfinished("")).extracting(left -> left.key()).containsExactly("others");
        try (var left = Files.list(directory.resolve("uploads"))) {
            assertThat(left).as("the record of the living").hasSize(1);
        }
    }

    private void dead(StoreUrl url, String key, String id, Duration age) throws IOException {
        var begun = records.begin(url, key, "");
        String name = begun.file().getFileName().toString();
        String mark = name.substring(0, name.indexOf('-'));
        String other = mark.substring(0, mark.lastIndexOf('.')) + ".1" + name.substring(name.indexOf('-'));
        Files.writeString(begun.file(), begun.head() + id);
        var file = Files.move(begun.file(), begun.file().resolveSibling(other));
        Files.setLastModifiedTime(file, FileTime.from(Files.getLastModifiedTime(file).toInstant().minus(age)));
    }

    /** Stopped after two parts, by Ctrl-C; the next one sends the others, and completes it. */
    @Test
    void anInterruptedPutContinues() throws Exception {
        var big = file("from/big", 4 * PART);
        var store = trees.bucket((Place.InBucket) places.of(bucket));
        stopAfter(2 * PART, local("from"), tree(bucket));
        assertThat(store.unfinished("")).as("its parts").hasSize(1);
        assertThat(store.list(ObjectQuery.all("")).objects()).isEmpty();
        long before = proxy.requests();
        copy(local("from"), tree(bucket), Observer.NONE);
        assertThat(proxy.requests() - before).as("a list of parts, the two missing ones, the end").isEqualTo(4);
        assertThat(store.unfinished("")).isEmpty();
        copy(tree(bucket), local("to"), Observer.NONE);
        assertThat(directory.resolve("to/big")).hasSameBinaryContentAs(big);
    }

    /** The file is another one when the put is repeated: none of the old parts is used. */
    @Test
    void aPutOfAnotherStateBeginsAnew() throws Exception {
        file("from/big", 4 * PART);
        var store = trees.bucket((Place.InBucket) places.of(bucket));
        stopAfter(2 * PART, local("from"), tree(bucket));
        byte[] other = Files.readAllBytes(directory.resolve("from/big"));
        other[7]++;
        Files.write(directory.resolve("from/big"), other);
        copy(local("from"), tree(bucket), Observer.NONE);
        assertThat(store.unfinished("")).isEmpty();
        copy(tree(bucket), local("to"), Observer.NONE);
        assertThat(directory.resolve("to/big")).hasBinaryContent(other);
    }

    private static void stopAfter(long bytes, FileTree from, FileTree to) {
        var passed = new AtomicLong();
        var interrupted = new Observer() {
            @Override
            public void done(long files, long more) {
                passed.addAndGet(more);
            }

            @Override
            public boolean cancelled() {
                return passed.get() >= bytes;
            }
        };
        assertThatThrownBy(() -> {
            try (var copying = new TreeCopying(from, to, ONE_BY_ONE, interrupted)) {
                copying.addBelow("", "");
                copying.finish();
            }
        }).isInstanceOf(IOException.class);
    }

    @Test
    void anObjectThatChangesIsNeverMixed() throws Exception {
        var store = trees.bucket((Place.InBucket) places.of(bucket));
        file("from/big", 3 * PART);
        copy(local("from"), tree(bucket), Observer.NONE);
        var changing = new Observer() {
            private boolean changed;

            @Override
            public synchronized void done(long files, long bytes) {
                if (!changed) {
                    changed = true;
                    try {
                        store.put("big", ByteBuffer.wrap(new byte[] {7, 7, 7}), ObjectHeaders.NONE,
                                PutCondition.ALWAYS);
                    } catch (IOException failed) {
                        throw new UncheckedIOException(failed);
                    }
                }
            }
        };
        try (var copying = new TreeCopying(tree(bucket), local("to"), ONE_BY_ONE, changing)) {
            copying.addBelow("", "");
            copying.finish();
        }
        assertThat(directory.resolve("to/big")).hasBinaryContent(new byte[] {7, 7, 7});
        try (var left = Files.list(directory.resolve("to"))) {
            assertThat(left).as("parts of the old state").hasSize(1);
        }
    }

    @Test
    void aServerThatIsAwayEndsTheCopy() throws Exception {
        file("from/x", 10);
        copy(local("from"), tree(bucket), Observer.NONE);
        proxy.setDown(true);
        try (var few = new OpenTrees(path -> {
            throw new IOException("no volumes here");
        }, Owner.ROOT, new RetryPolicy(2, Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofSeconds(5)),
                records)) {
            assertThatThrownBy(() -> copy(few.of(places.of(bucket)), local("to"), Observer.NONE))
                    .isInstanceOf(UnavailableException.class);
        }
    }

    /** Their bytes are compared with the ETags in the listing. */
    @Test
    void smallFilesAreComparedWithoutARequestForEach() throws Exception {
        for (int i = 0; i < 30; i++) {
            file("from/f" + i, 100 + i);
        }
        var settings = new SyncSettings(settings(false), false, false, SyncSettings.ALL);
        new TreeSync(local("from"), tree(bucket), settings, Observer.NONE).run();
        long before = proxy.requests();
        assertThat(new TreeSync(local("from"), tree(bucket), settings, Observer.NONE).run().unchanged()).isEqualTo(30);
        assertThat(proxy.requests() - before).isLessThan(5);
        byte[] other = Files.readAllBytes(directory.resolve("from/f7"));
        other[50]++;
        Files.write(directory.resolve("from/f7"), other);
        assertThat(new TreeSync(local("from"), tree(bucket), settings, Observer.NONE).run().copied().files())
                .as("negative control").isEqualTo(1);
    }
}
