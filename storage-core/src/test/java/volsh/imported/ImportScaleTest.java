package volsh.imported;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import volsh.block.StoreUrl;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.ImportedFiles;
import volsh.meta.OnEveryEngine;
import volsh.object.ObjectInfo;
import volsh.object.ObjectPage;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** A million keys, listed but never held: memory is for pages and batches only. */
@OnEveryEngine
final class ImportScaleTest {
    private final EngineKind kind;
    private final int keys;

    ImportScaleTest(EngineKind kind) {
        this.kind = kind;
        this.keys = Boolean.getBoolean("volsh.long") && kind == EngineKind.SQLITE ? 1_000_000 : 1_100;
    }

    private static String key(int number) {
        return "part-%04d/%07d.bin".formatted(number / 1000, number);
    }

    private ObjectPage page(ObjectQuery query) {
        int from = query.after().isEmpty() ? 0 : Integer.parseInt(query.after().substring(10, 17)) + 1;
        int to = Math.min(keys, from + query.limit());
        var objects = IntStream.range(from, to).mapToObj(i -> new ObjectInfo(key(i), 100 + i % 7, Instant.EPOCH,
                "etag-%032d".formatted(i), Map.of())).toList();
        return new ObjectPage(objects, List.of(), to < keys ? Optional.of(key(to - 1)) : Optional.empty());
    }

    /** Whatever is asked but a listing fails: an import needs nothing else. */
    private ObjectStore bucket() {
        return (ObjectStore) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {ObjectStore.class},
                (_, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("list");
                    return page((ObjectQuery) arguments[0]);
                });
    }

    @Test
    void manyKeysAreImported() throws Exception {
        var clock = InstantSource.system();
        var engine = kind.open();
        try (var volume = TestVolume.open(engine, new MemoryBlockStore(), new ChunkSettings(4 << 20, 4096, 64L << 20),
                Runnable::run, clock)) {
            long began = System.nanoTime();
            var importer = new Importer(volume.vfs(), new ImportedFiles(volume.names()), engine, clock, 4 << 20);
            var request = new ImportRequest(StoreUrl.of("s3://generated"), Vfs.ROOT, Owner.ROOT, false, false);
            var report = importer.run(request, bucket(), new ImportListener() {});
            System.gc();
            System.out.printf("%s: %,d keys in %.1f s, %,d lists, %d MiB of heap%n", kind, report.files(),
                    (System.nanoTime() - began) / 1e9, report.lists(),
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory() >> 20);

            assertThat(report.files()).isEqualTo(keys);
            assertThat(report.lists()).isEqualTo(Math.ceilDiv(keys, 1000));
            assertThat(report.directories()).isEqualTo(Math.ceilDiv(keys, 1000));
            assertThat(volume.superblock().importedBytes()).isEqualTo(report.bytes());
        }
    }
}
