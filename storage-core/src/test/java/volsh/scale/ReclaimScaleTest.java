package volsh.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.meta.ExtendedAttributes.Mode.ALWAYS;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.history.Trees;
import volsh.inventory.Strays;
import volsh.meta.Namespace;
import volsh.meta.Quotas;
import volsh.meta.Reclaim;
import volsh.meta.Ticks;
import volsh.quota.Account;
import volsh.quota.QuotaRule;

/** Deleted space comes back, however much was deleted at once. */
final class ReclaimScaleTest {
    /** As many as the program asks for. */
    private static final int BATCH = 200;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void oneLargeFile(String kind) throws Exception {
        int many = kind.equals("sqlite") || Scale.LONG ? Scale.MANY : 1_700;
        try (var volume = Scale.on(kind, directory)) {
            volume.file("large", many);
            volume.unlink("large");
            assertThat(new Strays(volume.engine).waiting(Integer.MAX_VALUE).counted()).as("unlinked, and not freed")
                    .isEqualTo(volume.superblock.usage().storedBytes());
            volume.pass();
            volume.freeOrphans();
            volume.pass();
            assertThat(new Strays(volume.engine).waiting(Integer.MAX_VALUE).blocks()).isEqualTo(many);
            assertThat(volume.forgetDead(BATCH)).isEqualTo(many);
            assertThat(volume.problems()).isEmpty();
            assertThat(volume.superblock.usage().storedBytes()).isZero();
        }
    }

    /**
     * They are counted before they are freed: those that were unlinked one by one, and those below a directory that
     * was.
     */
    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void manyUnlinkedFilesAreCounted(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            int files = 210;
            for (int i = 0; i < files; i++) {
                volume.file("f" + i, 1);
                volume.unlink("f" + i);
            }
            var waiting = new Strays(volume.engine).waiting(Integer.MAX_VALUE);
            assertThat(waiting.blocks()).isEqualTo(files);
            assertThat(waiting.counted()).isEqualTo(waiting.bytes()).isEqualTo(volume.superblock.usage().storedBytes());
            assertThat(new Strays(volume.engine).waiting(20).more()).isTrue();
            assertThat(new Strays(volume.engine).waiting(files + 1)).as("a limit of blocks, not of rows")
                    .isEqualTo(waiting);
            volume.pass();
            volume.freeOrphans();
            volume.pass();
            assertThat(volume.forgetDead(BATCH)).isEqualTo(files);
            assertThat(volume.problems()).isEmpty();
        }
    }

    /** Whoever has many unlinked files open keeps all of them. */
    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void manyOpenFilesWithoutNamesStay(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            int files = Scale.LONG ? Scale.MANY : 120;
            volume.smallFiles(Namespace.ROOT, "f", files);
            var open = new ArrayList<Long>();
            for (int i = 0; i < files; i++) {
                open.add(volume.ino("f" + i));
                volume.unlink("f" + i);
            }
            volume.pass();
            assertThat(volume.names.keepUnnamed(open)).hasSize(files);
            volume.freeOrphans();
            assertThat(volume.names.attributes(open)).as("dated anew, all of them wait").hasSize(files);
            volume.pass();
            volume.freeOrphans();
            assertThat(volume.names.attributes(open)).isEmpty();
            assertThat(volume.problems()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void filesOfManyExtentsThatAreFreedTogether(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            int files = Scale.LONG ? Scale.MANY / 95 : 12;
            for (int i = 0; i < files; i++) {
                volume.file("f" + i, 95);
                volume.attribute(volume.ino("f" + i), "user.a");
            }
            for (int i = 0; i < files; i++) {
                volume.unlink("f" + i);
            }
            volume.pass();
            volume.freeOrphans();
            volume.pass();
            assertThat(volume.forgetDead(BATCH)).isEqualTo(95 * files);
            assertThat(volume.problems()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void whatIsFreedHalfIsWholeAndGoesOn(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            long ino = volume.file("large", 400);
            volume.unlink("large");
            volume.pass();
            var dying = new DyingEngine(volume.engine);
            int deaths = 0;
            for (boolean over = false; !over; deaths++) {
                dying.dieAfter(1);
                try {
                    over = !new Reclaim(dying, volume.clock, volume.session()).freeOrphans();
                } catch (DyingEngine.Died expected) {
                    assertThat(volume.problems()).isEmpty();
                }
            }
            assertThat(deaths).isGreaterThan(3);
            assertThatThrownBy(() -> volume.names.attributes(ino)).isInstanceOf(FsException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void aTreeOfManyOwnersWithHistoryAndAttributes(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            new Ticks(volume.engine, volume.clock).retain(1_000_000);
            int count = 300;
            long tree = volume.directory(Namespace.ROOT, "tree", 0);
            volume.times(count, engine -> {
                var names = new Namespace(engine, volume.clock, volume.session());
                return i -> names.makeDirectory(tree, Name.of("d" + i), 0755, new Owner(i, i));
            });
            volume.times(256, engine -> {
                var attributes = new Namespace(engine, volume.clock, volume.session()).extendedAttributes();
                return i -> attributes.set(tree, ("user.a" + i).getBytes(StandardCharsets.UTF_8), new byte[9], ALWAYS);
            });
            new Quotas(volume.engine, volume.clock, volume.session())
                    .set(Account.user(7), QuotaRule.NONE, 1 << 20, counted -> {});
            long empty = volume.directory(Namespace.ROOT, "empty", 0);
            volume.pass();
            var trees = new Trees(volume.engine, volume.clock, volume.names);
            long copy = trees.copy(new Ticks(volume.engine, volume.clock).advance(), empty, Namespace.ROOT,
                    Trees.Watcher.NONE);
            trees.place(copy, Namespace.ROOT, Name.of("tree"), true);
            volume.pass();
            volume.freeOrphans();
            assertThat(volume.problems()).isEmpty();
            assertThat(volume.superblock.usage().inodes()).isEqualTo(3);
        }
    }
}
