package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumePath;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.imported.ImportListener;
import volsh.meta.ChildJvm;
import volsh.upkeep.Watcher;
import volsh.vfs.Vfs;

/** A process that imports is killed anywhere: what it made is whole, and the next one makes the rest. */
@Tag("volume")
@Tag("crash")
final class ImportKillTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int OBJECTS = LONG ? 20_000 : 1_500;
    private static final int KILLS = LONG ? 20 : 1;
    private static final VolumePath LAKE = new VolumePath("v", "/lake");

    @TempDir
    Path directory;

    private static Volumes volumes(Path home) {
        return new Volumes(Home.of(Map.of("VOLSH_HOME", home.toString()), false), InstantSource.system(), Owner.ROOT);
    }

    /** Imports, and says so after each object that it looks at. */
    static final class Importing {
        private Importing() {}

        public static void main(String[] arguments) throws IOException {
            var listener = new ImportListener() {
                @Override
                public boolean stopped() {
                    System.out.println("object");
                    return false;
                }
            };
            var report = volumes(Path.of(arguments[0])).imports()
                    .run(LAKE, StoreUrl.of(arguments[1]), Owner.ROOT, false, listener);
            System.out.println("complete " + report.complete());
        }
    }

    @Test
    void theNextOneMakesTheRest() throws Exception {
        var random = new Random(Long.getLong("volsh.seed", System.nanoTime()));
        var bucket = Files.createDirectory(directory.resolve("bucket"));
        for (int i = 0; i < OBJECTS; i++) {
            Files.writeString(bucket.resolve("%06d".formatted(i)), "object " + i);
        }
        var home = directory.resolve("home");
        var volumes = volumes(home);
        volumes.create(VolumeDraft.named("v"));
        var url = StoreUrl.of("file://" + bucket);
        for (int kill = 0; kill < KILLS; kill++) {
            int after = 200 + random.nextInt(OBJECTS - 400) / (KILLS - kill);
            try (var child = ChildJvm.start(directory, Importing.class, home, url)) {
                for (int i = 0; i < after && child.line() != null; i++) { }
                child.kill();
            }
        }

        var report = volumes.imports().run(LAKE, url, Owner.ROOT, false, new ImportListener() {});

        assertThat(report.complete()).isTrue();
        assertThat(report.refused()).isZero();
        assertThat(volumes.upkeep().check("v", true, Optional.empty(), Watcher.NONE).problems()).isEmpty();
        try (var volume = volumes.open("v", Access.READ, "test")) {
            var names = volume.vfs().list(volume.paths().resolve("/lake").ino(), null, OBJECTS + 1);
            assertThat(names).hasSize(OBJECTS);
            assertThat(volume.vfs().lookup(Vfs.ROOT, Name.of("lake")).links()).isEqualTo(2);
        }
    }
}
