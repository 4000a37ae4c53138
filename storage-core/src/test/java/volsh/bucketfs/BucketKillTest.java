package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.bucket.OpenBuckets;
import volsh.cache.MemoryCache;
import volsh.cache.disk.DiskTier;
import volsh.fuse.TestMount;
import volsh.meta.ChildJvm;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectInfo;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;
import volsh.object.UnfinishedUpload;

/** A mount of a bucket that is killed while programs write through it. */
@Tag("mount")
@Tag("crash")
final class BucketKillTest {
    @TempDir
    Path directory;

    private static final String LOGS = "uploads/bucket";

    /** Mounts a bucket and waits to be killed. */
    static final class Victim {
        private Victim() {}

        public static void main(String[] arguments) throws Exception {
            var parent = Path.of(arguments[0]);
            var files = new BucketFileSystem(OpenBuckets.open(StoreUrl.of(arguments[1])), MountedBucket.settings(),
                    new MemoryCache(1 << 20, 128 << 10), DiskTier.NONE, UploadLog.open(parent.resolve(LOGS)),
                    InstantSource.system());
            System.out.println(TestMount.of(files, parent).directory());
            Thread.currentThread().join();
        }
    }

    @Test
    void nothingHalfIsLeftAndTheNextMountRemovesTheUpload() throws Exception {
        String url = MountedBucket.newBucket();
        Path point;
        long pid;
        OutputStream big;
        try (var child = ChildJvm.start(directory, Victim.class, directory, url)) {
            pid = child.pid();
            point = Path.of(child.line());
            Files.writeString(point.resolve("closed"), "whole");
            big = Files.newOutputStream(point.resolve("big"));
            byte[] noise = new byte[1 << 20];
            new SplittableRandom(1).nextBytes(noise);
            for (int i = 0; i < 60; i++) {
                big.write(noise);
            }
        }
        assertThatThrownBy(big::close).isInstanceOf(IOException.class);
        TestMount.detach(point);
        try (ObjectStore store = OpenBuckets.open(StoreUrl.of(url))) {
            assertThat(store.unfinished("")).as("what the child left").extracting(UnfinishedUpload::key)
                    .containsExactly("big");
            assertThat(store.list(new ObjectQuery("", false, "", 1)).objects()).as("in spite of hidden parts")
                    .extracting(ObjectInfo::key).containsExactly("closed");
            var others = store.upload("others", ObjectHeaders.NONE);
            var logs = directory.resolve("uploads");
            AbandonedUploads.remember(logs.resolve("bucket"), StoreUrl.of(url), "");
            assertThat(AbandonedUploads.count(logs, pid)).isEqualTo(1);
            assertThat(AbandonedUploads.count(logs, pid + 1)).isZero();
            assertThatThrownBy(() -> AbandonedUploads.discard(logs, _ -> {
                throw new IOException("away");
            })).hasMessage("away");
            assertThat(AbandonedUploads.discard(logs, OpenBuckets::open)).isEqualTo(1);
            assertThat(store.unfinished("")).as("uploads of others stay").extracting(UnfinishedUpload::key)
                    .containsExactly("others");
            others.close();
            assertThat(store.list(ObjectQuery.all("")).objects()).extracting(ObjectInfo::key)
                    .containsExactly("closed");
            assertThat(AbandonedUploads.discard(logs, OpenBuckets::open)).isZero();
        }
        assertThat(left()).isEmpty();
    }

    private List<Path> left() throws IOException {
        try (var files = Files.list(directory.resolve(LOGS))) {
            return files.filter(file -> !file.endsWith("place")).toList();
        }
    }
}
