package volsh;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.constant.ClassDesc;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.volume.Volumes;

/**
 * The architecture as a table: who may use whom, and who may know which library. Checked against the compiled classes.
 */
@Tag("architecture")
final class LayersTest {
    /** From the bottom up: a layer uses only layers above its line. */
    private static final Map<String, Set<String>> STORAGE_CORE = Map.ofEntries(
            entry("fs", Set.of()),
            entry("proc", Set.of()),
            entry("disk", Set.of("fs", "proc")),
            entry("unit", Set.of()),
            entry("object", Set.of()),
            entry("block", Set.of("fs", "proc", "disk", "unit", "object")),
            entry("bucket", Set.of("block", "object")),
            entry("cache", Set.of("proc", "disk", "unit")),
            entry("crypt", Set.of()),
            entry("codec", Set.of("crypt")),
            entry("secret", Set.of()),
            entry("engine", Set.of("fs", "proc", "secret")),
            entry("quota", Set.of("fs", "unit", "engine")),
            entry("meta", Set.of("fs", "unit", "engine", "quota")),
            entry("inventory", Set.of("fs", "engine", "quota", "meta")),
            entry("json", Set.of()),
            entry("erasure", Set.of()),
            entry("place", Set.of("unit", "block", "erasure")),
            entry("catalog", Set.of(
                    "fs", "proc", "disk", "unit", "block", "cache", "crypt", "codec", "engine", "meta", "inventory",
                    "json", "place")),
            entry("chunk", Set.of("fs", "block", "cache", "codec", "place")),
            entry("vfs", Set.of("fs", "engine", "meta", "chunk")),
            entry("fuse", Set.of("fs", "proc", "unit", "engine", "meta", "vfs")),
            entry("bucketfs", Set.of("fs", "proc", "unit", "object", "block", "cache", "fuse")),
            entry("ship", Set.of("fs", "block", "codec", "engine", "meta", "inventory")),
            entry("upkeep", Set.of("fs", "block", "codec", "engine", "quota", "meta", "inventory", "json")),
            entry("journal", Set.of("fs", "disk", "block")),
            entry("pack", Set.of("fs", "block", "codec", "meta", "inventory", "place", "chunk", "upkeep", "journal")),
            entry("writeback", Set.of("disk", "unit", "block", "inventory", "catalog", "fuse", "journal", "pack")),
            entry("assembly", Set.of(
                    "fs", "proc", "disk", "unit", "block", "cache", "crypt", "codec", "secret", "engine", "meta",
                    "inventory", "place", "catalog", "chunk", "fuse", "ship", "upkeep", "writeback", "object",
                    "bucket")),
            entry("imported", Set.of(
                    "fs", "block", "object", "engine", "meta", "json", "catalog", "vfs", "upkeep")),
            entry("shard", Set.of("fs", "json")),
            entry("bench", Set.of("fs", "proc", "disk", "unit", "block", "codec", "json", "shard")),
            entry("history", Set.of("fs", "engine", "meta", "inventory")),
            entry("care", Set.of(
                    "fs", "block", "engine", "meta", "inventory", "place", "catalog", "vfs", "ship", "pack",
                    "assembly", "history")),
            entry("tensor", Set.of("fs", "json")),
            entry("transfer", Set.of("fs", "disk", "codec", "vfs")),
            entry("lifecycle", Set.of(
                    "fs", "disk", "unit", "block", "codec", "engine", "meta", "inventory", "place", "catalog",
                    "ship", "writeback", "assembly")),
            entry("maintain", Set.of(
                    "fs", "proc", "disk", "unit", "block", "codec", "engine", "meta", "inventory", "place",
                    "catalog", "ship", "upkeep", "pack", "writeback", "assembly", "care", "lifecycle",
                    "imported", "object")),
            entry("volume", Set.of(
                    "fs", "proc", "disk", "unit", "block", "cache", "codec", "engine", "quota", "meta",
                    "inventory", "place", "catalog", "chunk", "vfs", "ship", "upkeep", "journal", "pack",
                    "writeback", "assembly", "history", "care", "lifecycle", "maintain", "event", "object",
                    "imported")),
            entry("tree", Set.of(
                    "fs", "proc", "unit", "object", "block", "bucket", "codec", "catalog", "vfs", "history", "transfer",
                    "volume")),
            entry("sync", Set.of("fs", "object", "transfer", "tree")),
            entry("dataset", Set.of(
                    "fs", "proc", "disk", "object", "catalog", "json", "vfs", "transfer", "shard", "tree")),
            entry("view", Set.of("fs", "json", "vfs", "shard", "dataset")),
            entry("checkpoint", Set.of(
                    "fs", "proc", "disk", "block", "codec", "json", "place", "catalog", "vfs", "tensor",
                    "transfer", "volume")),
            entry("event", Set.of("json")),
            entry("warm", Set.of("fs", "disk", "unit", "block", "cache", "codec", "chunk", "vfs", "fuse", "transfer")),
            entry("mount", Set.of(
                    "fs", "proc", "disk", "unit", "block", "cache", "codec", "secret", "engine", "quota", "meta",
                    "inventory", "json", "catalog", "chunk", "vfs", "fuse", "ship", "journal", "writeback", "assembly",
                    "care", "transfer", "volume", "checkpoint", "event", "warm",
                    "bucket", "bucketfs", "object")),
            entry("system", Set.of("proc", "unit", "fuse")),
            entry("doctor", Set.of("fs", "proc", "unit", "block", "cache", "fuse", "journal", "mount", "system")),
            entry("job", Set.of("proc", "secret", "json")),
            entry("plan", Set.of("unit")),
            entry("service", Set.of("fs", "catalog", "mount")),
            entry("trace", Set.of("disk", "unit", "cache", "fuse")),
            entry("gateway", Set.of(
                    "fs", "proc", "unit", "block", "json", "engine", "catalog", "vfs", "assembly", "volume")),
            entry("trial", Set.of(
                    "fs", "disk", "unit", "block", "cache", "codec", "place", "catalog", "chunk", "vfs", "assembly",
                    "bench", "volume", "plan", "upkeep", "shard", "dataset",
                    "view")));

    private static final Map<String, Set<String>> LIBRARIES = Map.ofEntries(
            entry("software/amazon/", Set.of("volsh/block/s3")),
            entry("jnr/", Set.of("volsh/fuse/jnr")),
            entry("ru/serce/", Set.of("volsh/fuse/jnr")),
            entry("groovy/", Set.of("volsh/script")),
            entry("org/codehaus/groovy/", Set.of("volsh/script")),
            entry("org/jline/", Set.of("volsh/prompt")),
            entry("org/sqlite/", Set.of("volsh/engine/sqlite")),
            entry("org/postgresql/", Set.of("volsh/engine/postgres")),
            entry("java/sql/", Set.of("volsh/engine/sqlite", "volsh/engine/postgres")),
            entry("net/jpountz/", Set.of("volsh/codec")),
            entry("com/github/luben/", Set.of("volsh/codec")));

    private static final int FILES_MAX = 40;

    /** Doors, not corridors: how many public methods they may have. */
    private static final Map<Class<?>, Integer> PUBLIC_METHODS_MAX = Map.of(Volumes.class, 35);

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

    @Test
    void everyGrantIsUsed() throws IOException {
        assertThat(RULES.unusedGrants(storageCore())).isEmpty();
    }

    @Test
    void noPackagesUseEachOther() throws IOException {
        assertThat(Architecture.cycles(storageCore())).isEmpty();
    }

    @Test
    void aNameIsOfOneType() throws IOException {
        assertThat(Architecture.sharedNames(storageCore())).isEmpty();
    }

    @Test
    void aPackageCanBeSeenOver() throws IOException {
        assertThat(Architecture.crowdedPackages(everything(), FILES_MAX)).isEmpty();
    }

    @Test
    void doorsStaySmall() {
        PUBLIC_METHODS_MAX.forEach((type, most) ->
                assertThat(publicMethods(type)).as(type.getName()).hasSizeLessThanOrEqualTo(most));
    }

    private static List<String> publicMethods(Class<?> type) {
        return Stream.of(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
                .map(Method::toString).toList();
    }

    /** The column "knows" of docs/ARCHITECTURE.md is this table. */
    @Test
    void theDocumentSaysTheSame() throws IOException {
        var rows = Files.readAllLines(Path.of(System.getProperty("volsh.project", "."), "docs/ARCHITECTURE.md"))
                .stream()
                .map(line -> line.split(" *\\| *")).filter(cells -> cells.length > 4 && cells[1].startsWith("`"))
                .toList();
        STORAGE_CORE.forEach((layer, granted) ->
                assertThat(rows.stream().filter(cells -> cells[1].startsWith("`" + layer + "`")).findFirst())
                .as(layer).hasValueSatisfying(cells -> assertThat(cells[cells.length - 1].split(", "))
                        .containsExactlyInAnyOrder(
                                granted.isEmpty() ? new String[] {"nothing"} : granted.toArray(String[]::new))));
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
            assertThat(
                    RULES.wrongTurns(List.of(using("volsh.block.file.FileStore", "volsh.engine.sqlite.SqliteEngine"))))
                    .containsExactly("volsh.block.file must not use volsh.engine.sqlite: FileStore");
        }

        @Test
        void usingAnotherModule() {
            assertThat(RULES.wrongTurns(List.of(using("volsh.volume.Volumes", "volsh.command.Commands"))))
                    .containsExactly("volsh.volume must not use volsh.command: Volumes");
        }

        @Test
        void aParentUsingItsSubPackage() {
            assertThat(RULES.wrongTurns(List.of(using("volsh.engine.MetaEngine", "volsh.engine.sqlite.SqliteEngine"))))
                    .containsExactly("volsh.engine must not use volsh.engine.sqlite: MetaEngine");
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
                            "java.sql. belongs in [volsh.engine.postgres, volsh.engine.sqlite]: volsh.meta.Namespace",
                            "net.jpountz. belongs in [volsh.codec]: volsh.chunk.Reader",
                            "org.sqlite. belongs in [volsh.engine.sqlite]: volsh.command.Stats",
                            "software.amazon. belongs in [volsh.block.s3]: volsh.block.Retrying");
        }

        @Test
        void aGrantThatNothingUses() {
            assertThat(new Architecture(Map.of("codec", Set.of("unit")),
                    Map.of()).unusedGrants(List.of(using("volsh.codec.Lz4", "java.lang.String"))))
                    .containsExactly("codec does not use unit");
        }

        @Test
        void packagesThatUseEachOther() {
            assertThat(Architecture.cycles(List.of(using("volsh.a.One", "volsh.b.Two"), using("volsh.b.Two",
                    "volsh.c.Three"), using("volsh.c.Three", "volsh.a.One"), using("volsh.d.Four", "volsh.a.One"))))
                    .containsExactly("volsh.a", "volsh.b", "volsh.c");
        }

        @Test
        void aNameOfTwoTypes() {
            assertThat(Architecture.sharedNames(List.of(using("volsh.a.Place", "java.lang.String"),
                    using("volsh.b.Place", "java.lang.String"), using("volsh.b.Other$Place", "java.lang.String"))))
                    .containsExactly("Place in [volsh.a, volsh.b]");
        }

        @Test
        void aPackageOfManyFiles() {
            assertThat(Architecture.crowdedPackages(List.of(using("volsh.a.One", "java.lang.String"),
                    using("volsh.a.Two", "java.lang.String"), using("volsh.b.One$Inner", "java.lang.String")), 1))
                    .containsExactly("volsh.a");
        }

        @Test
        void aPackageWithoutADescription() {
            assertThat(Architecture.silentPackages(List.of(using("volsh.unit.ByteSize", "java.lang.String"))))
                    .containsExactly("volsh.unit");
        }

        @Test
        void vagueNames() {
            var classes = Stream.of("FileUtil", "FileUtils", "StoreImpl", "CacheManager", "TestHelper",
                    "TestHelper$Inner", "Utility", "Implied")
                    .map(name -> using("volsh.unit." + name, "java.lang.String"))
                    .toList();
            assertThat(Architecture.vagueNames(classes)).hasSize(6)
                    .doesNotContain("volsh.unit.Utility", "volsh.unit.Implied");
        }

        @Test
        void overloadsCount() {
            assertThat(publicMethods(StringBuilder.class)).hasSizeGreaterThan(PUBLIC_METHODS_MAX.get(Volumes.class));
        }

        @Test
        void whatIsAllowedPasses() {
            var fine = List.of(
                    using("volsh.block.file.FileStore", "volsh.block.BlockStore"),
                    using("volsh.engine.sqlite.SqliteEngine", "java.sql.Connection"),
                    using("volsh.assembly.Assembly", "volsh.engine.sqlite.SqliteEngine"));
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
        var classes = Architecture.classesBelow(directories().filter(path -> Files.exists(path.resolve("volsh/fs")))
                .toList());
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
