package volsh.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.history.Trees;
import volsh.history.UndeleteEngine;
import volsh.history.Versions;
import volsh.meta.InodePaths;
import volsh.meta.Moments;
import volsh.meta.Namespace;
import volsh.meta.Ticks;
import volsh.transfer.Copying;
import volsh.transfer.Get;
import volsh.transfer.Observer;
import volsh.transfer.Put;
import volsh.transfer.Removing;
import volsh.transfer.Survey;
import volsh.transfer.Trail;
import volsh.transfer.TreeDifference;
import volsh.vfs.TestVolume;

/** Trees with more names in a directory than any page: copied, moved in and out, compared, removed and brought back. */
final class TreeScaleTest {
    private static final int DIRECTORIES = 210;
    private static final int BRIEF = 210;
    private static final int WORKERS = 8;   // most of the time is round trips

    @TempDir
    Path directory;

    private static int files(String kind) {
        return Scale.LONG ? Scale.MANY : kind.equals("sqlite") ? 700 : 520;
    }

    private static long tree(Scale volume, int files) throws IOException {
        long tree = volume.directory(Namespace.ROOT, "tree", 0);
        volume.smallFiles(tree, "f", files);
        volume.times(DIRECTORIES, engine -> {
            var names = new Namespace(engine, volume.clock, volume.session());
            return i -> names.makeDirectory(tree, Name.of("d" + i), 0755, Owner.ROOT);
        });
        return tree;
    }

    private static TestVolume open(Scale volume) throws IOException {
        return TestVolume.open(volume.engine, new MemoryBlockStore(), new ChunkSettings(Scale.BLOCK, 700, 1 << 20),
                Runnable::run, volume.clock);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void copiedInAndOutAndRemoved(String kind) throws Exception {
        int files = files(kind);
        try (var scale = Scale.on(kind, directory)) {
            long tree = tree(scale, files);
            try (var volume = open(scale)) {
                var vfs = volume.vfs();
                var top = vfs.attributes(tree);
                var survey = new Survey(() -> false);
                survey.add(vfs, top);
                assertThat(survey.files()).isEqualTo(files);
                try (var copying = new Copying(vfs, vfs, WORKERS, Observer.NONE)) {
                    copying.add("v:/tree", top, Namespace.ROOT, Name.of("copy"));
                    assertThat(copying.finish().files()).isEqualTo(files);
                }
                try (var get = new Get(vfs, false, WORKERS, Observer.NONE)) {
                    get.add("v:/tree", top, directory.resolve("out"));
                    assertThat(get.finish().files()).isEqualTo(files);
                }
                try (var put = new Put(vfs, Optional.empty(), WORKERS, Observer.NONE)) {
                    put.add(directory.resolve("out"), Namespace.ROOT, Name.of("back"));
                    assertThat(put.finish().files()).isEqualTo(files);
                }
                assertThat(count(new Trail(vfs, scale.ino("back")))).isEqualTo(files + DIRECTORIES);
                assertThat(changes(new TreeDifference(vfs, vfs.attributes(scale.ino("copy")), vfs,
                        vfs.attributes(scale.ino("back"))))).isZero();
                var removing = new Removing(vfs, Observer.NONE);
                removing.tree(Namespace.ROOT, Name.of("copy"), vfs.attributes(scale.ino("copy")));
                assertThat(removing.summary().files()).isEqualTo(files);
                scale.clock.advance(Duration.ofSeconds(5));
                scale.pass();
                volume.reclaim();
                assertThat(volume.audit()).isEmpty();
            }
        }
        try (var left = Files.list(directory.resolve("out"))) {
            assertThat(left.count()).isEqualTo(files + DIRECTORIES);
        }
    }

    private static int count(Trail trail) throws IOException {
        int met = 0;
        for (var step = trail.next(); step != null; step = trail.next()) {
            met += step.leaving() ? 0 : 1;
        }
        return met;
    }

    /** But for times. */
    private static int changes(TreeDifference difference) throws IOException {
        int found = 0;
        for (var change = difference.next(); change != null; change = difference.next()) {
            found += change.kind() == TreeDifference.Kind.ADDED || change.kind() == TreeDifference.Kind.REMOVED ? 1 : 0;
        }
        return found;
    }

    private static void unlink(Scale volume, long directory, String prefix, int count) throws IOException {
        volume.times(count, engine -> {
            var names = new Namespace(engine, volume.clock, volume.session());
            return i -> names.unlink(directory, Name.of(prefix + i));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void clonedRemovedAndBroughtBack(String kind) throws Exception {
        int files = files(kind);
        try (var volume = Scale.on(kind, directory)) {
            new Ticks(volume.engine, volume.clock).retain(1_000_000);
            long tree = tree(volume, files);
            volume.pass();
            var trees = new Trees(volume.engine, volume.clock, volume.names);
            var moments = new Moments(volume.engine, volume.clock);
            long tick = moments.enterNow(volume.session());
            volume.pass();
            trees.place(trees.copy(tick, tree, Namespace.ROOT, Trees.Watcher.NONE), Namespace.ROOT, Name.of("clone"),
                    false);
            assertThat(new InodePaths(volume.engine).path(volume.names.lookup(tree, Name.of("f" + (files - 1))).ino()))
                    .contains("/tree/f" + (files - 1));
            volume.smallFiles(tree, "brief", BRIEF);   // gone within the second in which they came
            unlink(volume, tree, "brief", BRIEF);
            unlink(volume, tree, "f", files);
            volume.times(DIRECTORIES, engine -> {
                var names = new Namespace(engine, volume.clock, volume.session());
                return i -> names.removeDirectory(tree, Name.of("d" + i));
            });
            volume.names.removeDirectory(Namespace.ROOT, Name.of("tree"));
            volume.pass();
            volume.freeOrphans();
            var sight = new Versions(volume.engine, volume.clock).lastSeen(Namespace.ROOT, Name.of("tree"))
                    .orElseThrow();
            var past = new UndeleteEngine(volume.engine, sight.removal().first(), sight.tick(), OptionalLong.empty());
            trees.place(trees.copy(past, tree, Namespace.ROOT, Trees.Watcher.NONE), Namespace.ROOT, Name.of("tree"),
                    false);
            for (var name : List.of("clone", "tree")) {
                int found = 0;
                for (var page = volume.names.list(volume.ino(name), null, 1_000); !page.isEmpty();
                        page = volume.names.list(volume.ino(name), page.getLast().name(), 1_000)) {
                    found += page.size();
                }
                assertThat(found).as(name).isEqualTo(files + DIRECTORIES + (name.equals("tree") ? BRIEF : 0));
            }
            assertThat(volume.problems()).isEmpty();
        }
    }
}
