package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.cache.disk.DiskTier;
import volsh.object.MemoryObjects;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;

/** Programs that walk through a mounted bucket: what comes next is requested ahead, and nothing twice. */
@Tag("mount")
final class BucketWalkTest {
    private static final int MANY = 40;

    @TempDir
    Path directory;

    private final MemoryObjects store = new MemoryObjects();
    private MountedBucket bucket;

    private void mount(ObjectStore own) throws IOException {
        bucket = MountedBucket.of(directory, MountedBucket.settings(), own, store, DiskTier.NONE);
    }

    @AfterEach
    void unmount() throws IOException {
        bucket.close();
    }

    /** A call ahead for what begins with {@code key} waits until another one is under way; only then both go on. */
    private ObjectStore meeting(String method, String key) {
        var both = new CountDownLatch(2);
        return (ObjectStore) Proxy.newProxyInstance(ObjectStore.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class}, (_, called, arguments) -> {
                    boolean counts = called.getName().equals(method) && (arguments[0] instanceof ObjectQuery query
                            ? query.grouped() && query.prefix().startsWith(key)
                            : ((String) arguments[0]).startsWith(key));
                    if (counts && Thread.currentThread().isVirtual()) {
                        both.countDown();
                        assertThat(both.await(1, TimeUnit.MINUTES)).as("two requests at once").isTrue();
                    }
                    try {
                        return called.invoke(store, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    @Test
    void directoriesAreListedAheadOfAWalk() throws IOException {
        mount(meeting("list", "d/01"));   // with 010 to 019
        for (int i = 0; i < MANY; i++) {
            bucket.put("d/%03d/file".formatted(i), "text");
        }
        long before = store.requests();
        try (var all = Files.walk(bucket.directory().resolve("d"))) {
            assertThat(all.filter(Files::isRegularFile).count()).isEqualTo(MANY);
        }
        assertThat(store.requests() - before).as("one for each directory, and a few").isLessThanOrEqualTo(MANY + 5L);
    }

    /** Three pages each: more than is listed ahead. */
    @Test
    void largeDirectoriesAreListedByThoseWhoReadThem() throws IOException {
        mount(store);
        for (int i = 0; i < 4 * 2_500; i++) {
            bucket.put("d/%d/%04d".formatted(i % 4, i / 4), "");
        }
        try (var all = Files.walk(bucket.directory())) {
            assertThat(all.filter(Files::isRegularFile).distinct().count()).isEqualTo(4 * 2_500L);
        }
    }

    @Test
    void smallFilesAreReadAheadOfAWalk() throws IOException {
        mount(meeting("get", "d/01"));
        for (int i = 0; i < MANY; i++) {
            bucket.put("d/%03d".formatted(i), "text " + i);
        }
        long before = store.requests();
        try (var all = Files.list(bucket.directory().resolve("d"))) {
            for (var file : all.toList()) {
                assertThat(Files.readString(file)).startsWith("text");
            }
        }
        assertThat(store.requests() - before).as("one for each file, and a few").isLessThanOrEqualTo(MANY + 5L);
    }
}
