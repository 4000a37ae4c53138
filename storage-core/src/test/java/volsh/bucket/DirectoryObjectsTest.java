package volsh.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.object.MemoryObjects;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;
import volsh.object.PutCondition;

/** A directory lists its files as a bucket lists the same keys, page by page, grouped or not. */
final class DirectoryObjectsTest {
    @TempDir
    Path directory;

    private static List<String> listed(ObjectStore store, ObjectQuery first) throws IOException {
        var found = new ArrayList<String>();
        for (var query = first; ; ) {
            var page = store.list(query);
            page.objects().forEach(object -> found.add(object.key()));
            found.addAll(page.prefixes());
            found.add("--");
            if (page.next().isEmpty()) {
                return found;
            }
            query = query.following(page.next().get());
        }
    }

    @Test
    void listsAsABucketDoes() throws IOException {
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        System.out.println("seed " + seed);
        var random = new Random(seed);
        var names = List.of("a", "a-", "a0", "b", "é", "zz");
        var memory = new MemoryObjects();
        for (int i = 0; i < 60; i++) {
            var parts = random.ints(1 + random.nextInt(3), 0, names.size()).mapToObj(names::get).toList();
            var file = directory.resolve(String.join("/", parts));
            if (Files.exists(file) || isBelowAFile(file)) {
                continue;
            }
            Files.createDirectories(file.getParent());
            Files.writeString(file, "x");
            memory.put(String.join("/", parts), ByteBuffer.allocate(1), ObjectHeaders.NONE, PutCondition.ALWAYS);
        }
        Files.createDirectories(directory.resolve("none/empty"));
        Files.createSymbolicLink(directory.resolve("link"), directory.resolve("none"));
        try (var store = OpenBuckets.open(StoreUrl.of("file://" + directory))) {
            for (var prefix : List.of("", "a", "a/", "a/b/", "b/a", "none/", "link/", "x/y", "a//", "../", "a/../b/")) {
                for (boolean grouped : new boolean[] {true, false}) {
                    for (int limit : new int[] {1, 2, 7, 1000}) {
                        var query = new ObjectQuery(prefix, grouped, "", limit);
                        assertThat(listed(store, query)).as("seed %d: %s", seed, query)
                                .isEqualTo(listed(memory, query));
                    }
                }
            }
        }
    }

    private boolean isBelowAFile(Path file) {
        for (var each = file.getParent(); !each.equals(directory); each = each.getParent()) {
            if (Files.isRegularFile(each)) {
                return true;
            }
        }
        return false;
    }
}
