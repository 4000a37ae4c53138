package volsh.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.meta.ExtendedAttributes.Mode.ALWAYS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.history.Purge;
import volsh.history.Snapshots;
import volsh.history.Trees;
import volsh.history.Versions;
import volsh.inventory.JournalRow;
import volsh.inventory.Journals;
import volsh.inventory.Strays;
import volsh.inventory.Superblock;
import volsh.meta.ExtendedAttributes;
import volsh.meta.MetadataAudit;
import volsh.meta.Moments;
import volsh.meta.Namespace;
import volsh.meta.Quotas;
import volsh.meta.Sessions;
import volsh.meta.Ticks;
import volsh.quota.Account;
import volsh.quota.QuotaRule;

/** Maintenance of metadata, with more of everything than one transaction takes. */
final class MetadataScaleTest {
    /** More than a transaction has keys. */
    private static final int ROWS = Scale.LONG ? 10_000 : 1_100;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void historyIsPurgedBesideManySnapshots(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            var snapshots = new Snapshots(volume.engine, volume.clock);
            volume.file("a", 300);
            snapshots(volume, ROWS);
            assertThat(snapshots.list()).hasSize(ROWS);
            volume.unlink("a");
            volume.pass();
            volume.freeOrphans();
            volume.pass();
            assertThat(volume.forgetDead(200)).isZero();
            volume.times(ROWS, engine -> i -> new Snapshots(engine, volume.clock).destroy("s" + i));
            snapshots.create("last", "");
            var purged = new Purge(volume.engine, volume.clock, volume.session()).run(Purge.Watcher.NONE);
            assertThat(purged.blocks()).isEqualTo(300);
            volume.pass();
            assertThat(volume.forgetDead(200)).isEqualTo(300);
            assertThat(volume.problems()).isEmpty();
        }
    }

    private static void snapshots(Scale volume, int count) throws IOException {
        volume.times(count, engine -> i -> {
            volume.clock.advance(Duration.ofSeconds(2));
            new Snapshots(engine, volume.clock).create("s" + i, "");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void manySnapshotsThatStay(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            new Ticks(volume.engine, volume.clock).retain(10);
            snapshots(volume, ROWS);
            volume.file("a", 120);
            volume.pass();
            volume.unlink("a");
            volume.pass();
            volume.freeOrphans();
            volume.clock.advance(Duration.ofSeconds(60));
            assertThat(new Purge(volume.engine, volume.clock, volume.session()).count(Purge.Watcher.NONE).blocks())
                    .isEqualTo(120);
            assertThat(new Purge(volume.engine, volume.clock, volume.session()).run(Purge.Watcher.NONE).blocks())
                    .isEqualTo(120);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void manySessions(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            var sessions = volume.superblock.sessions();
            volume.file("a", 3);
            readers(volume);
            // The last one is the only one that needs what was: what it may read stays.
            volume.clock.advance(Duration.ofSeconds(5));
            long tick = new Ticks(volume.engine, volume.clock).advance();
            var all = sessions.list();
            assertThat(all).hasSize(ROWS + 1);
            volume.unlink("a");
            volume.times(ROWS,
                    engine -> i -> new Superblock(engine, volume.clock).sessions().renew(all.get(i), tick + 10));
            assertThat(volume.reclaim().freeOrphans()).isFalse();
            assertThat(new Strays(volume.engine).among(List.of(1L << 50)).spared()).isNotEmpty();
            new Quotas(volume.engine, volume.clock, volume.session()).set(1L << 30, QuotaRule.NONE);
            volume.clock.advance(Duration.ofSeconds(2));
            volume.file("b", 3);
            volume.clock.advance(Sessions.LEASE.multipliedBy(3));
            assertThat(sessions.fenceExpired()).hasSize(ROWS + 1);
            readers(volume);
            assertThatThrownBy(() -> sessions.open("host", 1, "alone", Sessions.Role.SOLE_WRITER))
                    .hasMessageContaining("the volume is in use: reads");
            assertThat(volume.superblock.retire(false)).isNotEmpty();
            assertThat(volume.superblock.retire(true)).isEmpty();
            assertThat(sessions.list()).isEmpty();
        }
    }

    private static void readers(Scale volume) throws IOException {
        volume.times(ROWS, engine ->
                i -> new Superblock(engine, volume.clock).sessions().open("host", i, "reads", Sessions.Role.READER));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void silentSessionsAreNotInTheWayOfASoleWriter(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            volume.times(ROWS,
                    engine -> i -> new Superblock(engine, volume.clock).sessions().open("host", i, "writes"));
            volume.clock.advance(Sessions.LEASE.multipliedBy(3));
            volume.superblock.sessions().open("host", 1, "alone", Sessions.Role.SOLE_WRITER);
            assertThat(volume.superblock.sessions().list()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void aTickWithManyReaders(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            var snapshots = new Snapshots(volume.engine, volume.clock);
            long tick = snapshots.create("s", "").tick();
            volume.times(ROWS, engine -> i -> {
                var sessions = new Superblock(engine, volume.clock).sessions();
                new Moments(engine, volume.clock).enter(sessions.open("host", i, "reads", Sessions.Role.READER).id(),
                        tick);
            });
            var readers = volume.superblock.sessions().list().stream()
                    .filter(session -> session.purpose().equals("reads")).toList();
            // killed: it leaves its row
            volume.times(ROWS - 1,
                    engine -> i -> new Superblock(engine, volume.clock).sessions().end(readers.get(i).id()));
            snapshots.destroy("s");
            var purge = new Purge(volume.engine, volume.clock, volume.session());
            assertThat(purge.run(Purge.Watcher.NONE).pins()).as("the last one reads").isZero();
            volume.superblock.sessions().list().stream().filter(session -> session.purpose().equals("reads"))
                    .findFirst()
                    .ifPresent(session -> ended(volume, session.id()));
            assertThat(purge.run(Purge.Watcher.NONE).pins()).isEqualTo(1);
        }
    }

    private static void ended(Scale volume, long session) {
        try {
            volume.superblock.sessions().end(session);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void manyJournals(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            var journals = new Journals(volume.engine);
            volume.times(ROWS, engine -> i -> new Journals(engine)
                    .put(JournalRow.opened(new UUID(i, i), "host", "/journal", volume.clock.instant())));
            assertThat(journals.list()).hasSize(ROWS);
            var blocks = new ArrayList<Long>();
            for (long i = 0; i < ROWS; i++) {
                blocks.add(i + 100);
            }
            assertThat(journals.named(blocks)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void aTreeIsCopiedAndPlacedAsRoot(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            new Ticks(volume.engine, volume.clock).retain(1_000_000);
            int files = 60;
            for (int i = 0; i < files; i++) {
                volume.file("f" + i, 5);
            }
            volume.file("long", 250);
            long wide = volume.directory(Namespace.ROOT, "wide", 0);
            volume.times(300, engine -> {
                var names = new Namespace(engine, volume.clock, volume.session());
                return i -> names.makeDirectory(wide, Name.of("d" + i), 0755, new Owner(i, i));
            });
            volume.times(256, engine ->
                    i -> attributes(volume, engine).set(Namespace.ROOT, bytes("user.old" + i), new byte[9], ALWAYS));
            volume.pass();
            long tick = new Moments(volume.engine, volume.clock).enterNow(volume.session());
            volume.pass();
            volume.times(256, engine -> i -> {
                attributes(volume, engine).remove(Namespace.ROOT, bytes("user.old" + i));
                attributes(volume, engine).set(Namespace.ROOT, bytes("user.new" + i), new byte[9], ALWAYS);
            });
            volume.smallFiles(Namespace.ROOT, "later", 250);
            volume.pass();
            var trees = new Trees(volume.engine, volume.clock, volume.names);
            trees.placeAsRoot(trees.copy(tick, Namespace.ROOT, Namespace.ROOT, Trees.Watcher.NONE), tick);
            assertThat(volume.names.list(Namespace.ROOT, null, 1000)).hasSize(files + 2);
            assertThat(volume.names.extendedAttributes().list(Namespace.ROOT)).hasSize(256)
                    .allMatch(name -> new String(name, StandardCharsets.UTF_8).startsWith("user.old"));
            assertThat(volume.problems()).isEmpty();
        }
    }

    /** A file that was written in every second of an hour has all of that, and loses it again. */
    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void manyVersionsOfOneFile(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            new Ticks(volume.engine, volume.clock).retain(1_000_000);
            long ino = volume.file(Namespace.ROOT, "f");
            int versions = Scale.LONG ? Scale.MANY : 600;
            volume.times(versions, engine -> {
                var names = new Namespace(engine, volume.clock, volume.session());
                return i -> {
                    volume.clock.advance(Duration.ofSeconds(1));
                    names.files().appendInline(ino, new byte[] {1}, OptionalLong.empty(), 1 << 20).orElseThrow();
                    names.files().truncate(ino, 0);
                };
            });
            assertThat(new Versions(volume.engine, volume.clock).of(List.of(Name.of("f"))))
                    .hasSizeGreaterThan(versions - 1);
            volume.pass();
            new Ticks(volume.engine, volume.clock).retain(0);
            volume.pass();
            assertThat(new Purge(volume.engine, volume.clock, volume.session()).run(Purge.Watcher.NONE).versions())
                    .isGreaterThanOrEqualTo(versions);
            assertThat(MetadataAudit.of(volume.engine).historic()).isZero();
        }
    }

    private static ExtendedAttributes attributes(Scale volume, MetaEngine engine) {
        return new Namespace(engine, volume.clock, volume.session()).extendedAttributes();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void filesAreOverwrittenCutAndShared(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            new Ticks(volume.engine, volume.clock).retain(1_000_000);
            new Quotas(volume.engine, volume.clock, volume.session())
                    .set(Account.user(0), QuotaRule.NONE, 1 << 20, counted -> {});
            int extents = Scale.LONG ? Scale.MANY : 600;
            long one = volume.file("one", extents);
            long two = volume.file("two", extents);
            long size = 2L * extents * Scale.BLOCK;
            volume.pass();
            assertThat(volume.names.files().share(one, 0, two, 0, size)).isTrue();
            volume.pass();
            volume.names.files().punch(one, Scale.BLOCK, size / 2, false);
            volume.names.files().truncate(one, 100);
            volume.names.files().truncate(two, 0);
            assertThat(volume.problems()).isEmpty();
        }
    }

    /** Two sessions take numbers by turns: the list of their ranges, which is one row, stays short. */
    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void writersThatTakeTurns(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            var sessions = new ArrayList<Namespace>();
            for (int i = 0; i < 2; i++) {
                sessions.add(new Namespace(volume.engine, volume.clock,
                        volume.superblock.sessions().open("host", i, "writes").id()));
            }
            for (int i = 0; i < 400_000; i++) {
                sessions.get(i & 1).files().newBlock();
            }
            assertThat(volume.superblock.sessions().list()).allMatch(session -> session.blocks().size() < 140);
        }
    }

}
