package volsh;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The architecture as a table: who may use whom, and who may know which library. Checked against the compiled classes. */
final class LayersTest {
    private static final Map<String, Set<String>> STORAGE_CORE = Map.ofEntries(
            entry("unit", Set.of()),
            entry("disk", Set.of("proc", "fs")),
            entry("proc", Set.of()),
            entry("secret", Set.of()),
            entry("fs", Set.of()),
            entry("codec", Set.of("unit")),
            entry("block", Set.of("proc", "unit", "disk")),
            entry("journal", Set.of("block", "disk", "fs")),
            entry("erasure", Set.of()),
            entry("place", Set.of("block", "unit", "erasure")),
            entry("plan", Set.of("unit")),
            entry("bench", Set.of("proc", "json", "unit", "disk", "codec", "block")),
            entry("trial", Set.of("unit", "disk", "fs", "codec", "block", "place", "cache", "plan", "bench", "vfs", "volume")),
            entry("json", Set.of()),
            entry("tensor", Set.of("json")),
            entry("checkpoint", Set.of("proc", "json", "tensor", "unit", "disk", "fs", "block", "codec", "place", "vfs", "transfer", "volume")),
            entry("job", Set.of("proc", "json", "secret")),
            entry("system", Set.of("proc", "unit", "fuse")),
            entry("doctor", Set.of("proc", "unit", "cache", "fuse", "journal", "block", "mount", "system", "trace")),
            entry("trace", Set.of("unit", "fuse", "cache", "disk")),
            entry("cache", Set.of("proc", "block", "unit", "disk")),
            entry("meta", Set.of("proc", "unit", "fs", "secret")),
            entry("ship", Set.of("fs", "codec", "block", "meta")),
            entry("upkeep", Set.of("json", "unit", "fs", "codec", "block", "meta")),
            entry("chunk", Set.of("unit", "fs", "block", "codec", "cache", "place")),
            entry("vfs", Set.of("unit", "fs", "meta", "cache", "chunk")),
            entry("transfer", Set.of("disk", "fs", "codec", "vfs")),
            entry("fuse", Set.of("proc", "unit", "fs", "meta", "vfs")),
            entry("event", Set.of("json")),
            entry("mount", Set.of("proc", "json", "event", "unit", "disk", "fs", "codec", "block", "chunk", "meta", "cache", "journal", "ship", "vfs", "fuse", "volume", "warm", "checkpoint", "transfer", "secret")),
            entry("warm", Set.of("unit", "fs", "block", "codec", "cache", "chunk", "vfs", "transfer")),
            entry("service", Set.of("fuse", "mount", "volume")),
            entry("volume", Set.of("proc", "json", "unit", "disk", "fs", "codec", "block", "place", "cache", "journal", "meta", "ship", "chunk", "vfs", "fuse", "upkeep")));

    private static final Map<String, Set<String>> LIBRARIES = Map.ofEntries(
            entry("software/amazon/", Set.of("volsh/block/s3")),
            entry("jnr/", Set.of("volsh/fuse/jnr")),
            entry("ru/serce/", Set.of("volsh/fuse/jnr")),
            entry("groovy/", Set.of("volsh/script")),
            entry("org/codehaus/groovy/", Set.of("volsh/script")),
            entry("org/jline/", Set.of("volsh/prompt")),
            entry("org/sqlite/", Set.of("volsh/meta/sqlite")),
            entry("org/postgresql/", Set.of("volsh/meta/postgres")),
            entry("java/sql/", Set.of("volsh/meta/sqlite", "volsh/meta/postgres")),
            entry("net/jpountz/", Set.of("volsh/codec")),
            entry("com/github/luben/", Set.of("volsh/codec")));

    private static final Architecture RULES = new Architecture(STORAGE_CORE, LIBRARIES);

    @Test
    void dependenciesPointDownTheDataPath() throws IOException {
        assertThat(RULES.wrongTurns(storageCore())).isEmpty();
    }

    @Test
    void librariesStayBehindTheirSeam() throws IOException {
        assertThat(RULES.strayLibraries(everything())).isEmpty();
    }

    @Test
    void everyPackageSaysWhatItIsFor() throws IOException {
        assertThat(Architecture.silentPackages(everything())).isEmpty();
    }

    @Test
    void everyNameSaysSomething() throws IOException {
        assertThat(Architecture.vagueNames(everything())).isEmpty();
    }

    /** The rules on fabricated classes: each must object to what it is there for. */
    @Nested
    final class NegativeControl {
        @Test
        void usingALayerAbove() {
            assertThat(RULES.wrongTurns(List.of(using("volsh.codec.Lz4", "volsh.block.BlockStore"))))
                    .containsExactly("volsh.codec must not use volsh.block: Lz4");
        }

        @Test
        void usingASubPackageOfALayerAbove() {
            assertThat(RULES.wrongTurns(List.of(using("volsh.block.file.FileStore", "volsh.meta.sqlite.SqliteEngine"))))
                    .containsExactly("volsh.block.file must not use volsh.meta.sqlite: FileStore");
        }

        @Test
        void usingAnotherModule() {
            assertThat(RULES.wrongTurns(List.of(using("volsh.volume.Volumes", "volsh.command.Commands"))))
                    .containsExactly("volsh.volume must not use volsh.command: Volumes");
        }

        @Test
        void aParentUsingItsSubPackage() {
            assertThat(RULES.wrongTurns(List.of(using("volsh.meta.Namespace", "volsh.meta.sqlite.SqliteEngine"))))
                    .containsExactly("volsh.meta must not use volsh.meta.sqlite: Namespace");
        }

        @Test
        void aLayerTheTableDoesNotKnow() {
            assertThat(RULES.wrongTurns(List.of(using("volsh.misc.Things", "java.lang.String"))))
                    .containsExactly("volsh.misc is in no layer of the table");
        }

        @Test
        void aLibraryOutsideItsSeam() {
            assertThat(RULES.strayLibraries(List.of(
                            using("volsh.block.Retrying", "software.amazon.awssdk.services.s3.S3Client"),
                            using("volsh.meta.Namespace", "java.sql.Connection"),
                            using("volsh.command.Stats", "org.sqlite.SQLiteConfig"),
                            using("volsh.chunk.Reader", "net.jpountz.lz4.LZ4Factory"))))
                    .containsExactly(
                            "java.sql. belongs in [volsh.meta.postgres, volsh.meta.sqlite]: volsh.meta.Namespace",
                            "net.jpountz. belongs in [volsh.codec]: volsh.chunk.Reader",
                            "org.sqlite. belongs in [volsh.meta.sqlite]: volsh.command.Stats",
                            "software.amazon. belongs in [volsh.block.s3]: volsh.block.Retrying");
        }

        @Test
        void aPackageWithoutADescription() {
            assertThat(Architecture.silentPackages(List.of(using("volsh.unit.ByteSize", "java.lang.String"))))
                    .containsExactly("volsh.unit");
        }

        @Test
        void vagueNames() {
            var classes = Stream.of("FileUtil", "FileUtils", "StoreImpl", "CacheManager", "TestHelper", "TestHelper$Inner", "Utility", "Implied")
                    .map(name -> using("volsh.unit." + name, "java.lang.String"))
                    .toList();
            assertThat(Architecture.vagueNames(classes)).hasSize(6).doesNotContain("volsh.unit.Utility", "volsh.unit.Implied");
        }

        @Test
        void whatIsAllowedPasses() {
            var fine = List.of(
                    using("volsh.block.file.FileStore", "volsh.block.BlockStore"),
                    using("volsh.meta.sqlite.SqliteEngine", "java.sql.Connection"),
                    using("volsh.volume.Assembly", "volsh.meta.sqlite.SqliteEngine"));
            assertThat(RULES.wrongTurns(fine)).isEmpty();
            assertThat(RULES.strayLibraries(fine)).isEmpty();
        }

        /** A class {@code name} with one field of type {@code used}. */
        private ClassModel using(String name, String used) {
            return ClassFile.of().parse(ClassFile.of()
                    .build(ClassDesc.of(name), type -> type.withField("used", ClassDesc.of(used), 0)));
        }
    }

    private static List<ClassModel> storageCore() throws IOException {
        var classes = Architecture.classesBelow(directories().filter(path -> Files.exists(path.resolve("volsh/fs"))).toList());
        assertThat(classes).as("compiled classes of storage-core").hasSizeGreaterThan(10);
        return classes;
    }

    private static List<ClassModel> everything() throws IOException {
        var classes = Architecture.classesBelow(directories().toList());
        assertThat(classes).as("compiled classes").hasSizeGreaterThan(10);
        return classes;
    }

    /** The class directories of the modules that are built; storage-core's always is. */
    private static Stream<Path> directories() {
        return Stream.of(System.getProperty("volsh.classes").split(":")).map(Path::of).filter(Files::isDirectory);
    }
}
