package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.history.PastEngine;
import volsh.history.Purge;
import volsh.history.Snapshots;
import volsh.inventory.Superblock;
import volsh.vfs.ManualClock;

/** Which ticks can be read, and that they stay readable for who reads them. */
@OnEveryEngine
final class MomentsTest {
    private final ManualClock clock = new ManualClock();
    private final MetaEngine engine;
    private final Moments moments;
    private final Snapshots snapshots;
    private final Ticks ticks;
    private Sessions sessions;
    private Session writer;
    private Namespace names;

    MomentsTest(EngineKind kind) throws IOException {
        engine = kind.open();
        moments = new Moments(engine, clock);
        snapshots = new Snapshots(engine, clock);
        ticks = new Ticks(engine, clock);
    }

    @BeforeEach
    void format() throws IOException {
        var superblock = new Superblock(engine, clock);
        superblock.format(Owner.ROOT, 0755, "made", new byte[0]);
        sessions = superblock.sessions();
        writer = sessions.open("test", 1, "test");
        names = new Namespace(engine, clock, writer.id());
    }

    private long now() {
        return clock.instant().getEpochSecond();
    }

    private Session reader() throws IOException {
        return sessions.open("test", 2, "reader", Sessions.Role.READER);
    }

    private NoSuchMomentException refused(long tick) throws IOException {
        var reader = reader();
        return catchThrowableOfType(NoSuchMomentException.class, () -> moments.enter(reader.id(), tick));
    }

    private long purge() throws IOException {
        writer = sessions.renew(writer, ticks.advance());
        return new Purge(engine, clock, writer.id()).run(Purge.Watcher.NONE).versions();
    }

    private void change(int times) throws IOException {
        for (int i = 0; i < times; i++) {
            clock.advance(Duration.ofSeconds(1));
            names.makeDirectory(Namespace.ROOT, Name.of("d" + i), 0755, Owner.ROOT);
            clock.advance(Duration.ofSeconds(1));
            names.removeDirectory(Namespace.ROOT, Name.of("d" + i));
        }
    }

    @Test
    void withoutAWindowOnlySnapshotsCanBeRead() throws IOException {
        clock.advance(Duration.ofSeconds(10));
        var snapshot = snapshots.create("v1", "");
        clock.advance(Duration.ofSeconds(10));
        assertThat(refused(snapshot.tick() + 1).earliest()).isEmpty();
        moments.enter(reader().id(), snapshot.tick());
        assertThat(moments.earliest()).isEmpty();
    }

    @Test
    void aWindowBeginsWhenItIsSetAndMovesOn() throws IOException {
        clock.advance(Duration.ofSeconds(100));
        ticks.retain(60);
        long set = now();
        clock.advance(Duration.ofSeconds(30));
        assertThat(refused(set - 1).earliest()).hasValue(set);
        var reader = reader();
        moments.enter(reader.id(), set);
        moments.leave(reader.id(), set);
        sessions.end(reader.id());
        clock.advance(Duration.ofSeconds(60));
        assertThat(refused(set).earliest()).as("nobody needs it").hasValue(set + 30);
        ticks.retain(-1);
        clock.advance(Duration.ofSeconds(1000));
        moments.enter(reader().id(), set + 30);
        ticks.retain(0);
        assertThat(refused(set + 40).earliest()).isEmpty();
    }

    @Test
    void whatIsStillToComeCannotBeRead() throws IOException {
        ticks.retain(60);
        assertThat(refused(now() + 1).isFuture()).isTrue();
    }

    /** The running second ends for who reads it: nothing is written in it any more. */
    @Test
    void theRunningSecondEndsWhenItIsRead() throws IOException {
        ticks.retain(60);
        names.makeDirectory(Namespace.ROOT, Name.of("before"), 0755, Owner.ROOT);
        moments.enter(reader().id(), now());
        long tick = now();
        names.makeDirectory(Namespace.ROOT, Name.of("behind"), 0755, Owner.ROOT);
        assertThat(new Namespace(new PastEngine(engine, tick), clock, 0).list(Namespace.ROOT, null, 10)).hasSize(1);
        long second = moments.enterNow(reader().id());
        assertThat(new Namespace(new PastEngine(engine, second), clock, 0).list(Namespace.ROOT, null, 10)).hasSize(2);
    }

    @Test
    void withoutWindowAndSnapshotNoHistoryIsWritten() throws IOException {
        change(5);
        assertThat(MetadataAudit.of(engine).historic()).isZero();
        var snapshot = snapshots.create("v1", "");
        change(5);
        assertThat(MetadataAudit.of(engine).historic()).isEqualTo(0);   // nothing that was there then has changed
        snapshots.destroy(snapshot.name());
        change(5);
        assertThat(MetadataAudit.of(engine).historic()).isZero();
    }

    @Test
    void whoReadsKeepsWhatHeReadsWhateverBecomesOfSnapshotAndWindow() throws IOException {
        names.makeDirectory(Namespace.ROOT, Name.of("kept"), 0755, Owner.ROOT);
        var snapshot = snapshots.create("v1", "");
        var reader = reader();
        moments.enter(reader.id(), snapshot.tick());
        snapshots.destroy("v1");
        clock.advance(Duration.ofSeconds(5));
        names.removeDirectory(Namespace.ROOT, Name.of("kept"));
        purge();
        var past = new Namespace(new PastEngine(engine, snapshot.tick()), clock, 0);
        assertThat(past.lookup(Namespace.ROOT, Name.of("kept")).isDirectory()).isTrue();
        moments.leave(reader.id(), snapshot.tick());
        sessions.end(reader.id());
        clock.advance(Duration.ofSeconds(1));
        assertThat(purge()).isPositive();
        assertThat(MetadataAudit.of(engine).historic()).isZero();
    }

    @Test
    void thePinOfAReaderWhoWasKilledGoesWithItsSession() throws IOException {
        ticks.retain(60);
        clock.advance(Duration.ofSeconds(5));
        var reader = reader();
        moments.enter(reader.id(), now() - 2);
        ticks.retain(0);
        change(1);
        assertThat(purge()).isZero();
        assertThat(new Purge(engine, clock, writer.id()).count(Purge.Watcher.NONE).pins()).isZero();
        sessions.end(reader.id());
        assertThat(new Purge(engine, clock, writer.id()).count(Purge.Watcher.NONE).pins()).isEqualTo(1);
        purge();
        assertThat(Retained.parse(engine.read(tx -> tx.get(Keys.RETAINED))).pins()).isEmpty();
    }

    @Test
    void aSnapshotOfTheSameNameIsRefusedAndOneThatIsNotThereCannotGo() throws IOException {
        snapshots.create("v1", "first");
        assertThatThrownBy(() -> snapshots.create("v1", "second")).isInstanceOfSatisfying(
                FsException.class, refused -> assertThat(refused.error()).isEqualTo(FsError.EXISTS));
        assertThatThrownBy(() -> snapshots.destroy("v2")).isInstanceOf(FsException.class);
        assertThatThrownBy(() -> snapshots.create("20261101T100000Z", "")).isInstanceOf(IllegalArgumentException.class);
        assertThat(snapshots.list()).extracting(Snapshot::name, Snapshot::label).containsExactly(tuple("v1", "first"));
    }

    @Test
    void aClockThatWentBackOrJumpedIsNotTrusted() throws IOException {
        ticks.retain(60);
        var purge = new Purge(engine, clock, writer.id());
        assertThat(purge.distrust(Duration.ofDays(7))).isEmpty();
        clock.advance(Duration.ofHours(-1));
        assertThat(purge.distrust(Duration.ofDays(7)).orElseThrow())
                .contains("the last change of the volume was at 2030-01-01T00:00:00Z");
        clock.advance(Duration.ofDays(30));
        assertThat(purge.distrust(Duration.ofDays(7)).orElseThrow()).contains("may have jumped");
        ticks.advance();
        assertThat(purge.distrust(Duration.ofDays(7))).isEmpty();
    }
}
