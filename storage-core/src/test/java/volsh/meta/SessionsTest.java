package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import volsh.engine.CrashableMetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.inventory.Superblock;
import volsh.vfs.ManualClock;

/** Sessions own what they write until they end. */
final class SessionsTest {
    private final ManualClock clock = new ManualClock();
    private CrashableMetaEngine engine = new CrashableMetaEngine(MemoryMetaEngine::new);

    private Sessions sessions() {
        return new Superblock(engine, clock).sessions();
    }

    private Namespace open() throws IOException {
        return new Namespace(engine, clock, sessions().open("test", 1, "test").id());
    }

    private void format() throws IOException {
        new Superblock(engine, clock).format(Owner.ROOT, 0755, "made", new byte[0]);
    }

    /** The store keeps what it was given under an id, whatever the metadata forgets. */
    @Test
    void noBlockIdIsGivenOutTwiceNotEvenAfterPowerLoss() throws IOException {
        format();
        engine.sync();
        var given = new HashSet<Long>();
        for (int life = 0; life < 20; life++) {
            var files = open().files();
            for (int i = 0; i < 100; i++) {
                assertThat(given.add(files.newBlock())).isTrue();
            }
            engine = engine.crash(new Random(life));
        }
    }

    @Test
    void aSessionOwnsEveryIdItWasGiven() throws IOException {
        format();
        var names = open();
        var other = open();
        for (int i = 0; i < 5_000; i++) {
            long mine = names.files().newBlock();
            long theirs = other.files().newBlock();
            if (i % 500 == 0) {
                assertThat(sessions().list()).filteredOn(session -> session.owns(mine)).extracting(Session::id)
                        .containsExactly(names.session());
                assertThat(sessions().list()).filteredOn(session -> session.owns(theirs)).extracting(Session::id)
                        .containsExactly(other.session());
            }
        }
    }

    @Test
    void theRowOfALoneWriterDoesNotGrow() throws IOException {
        format();
        var files = open().files();
        for (int i = 0; i < 50_000; i++) {
            files.newBlock();
        }
        assertThat(sessions().list().getFirst().blocks()).hasSize(1);
    }

    @Test
    void silenceBeyondTheLeaseIsFenced() throws IOException {
        format();
        var silent = sessions().open("a", 1, "silent");
        var lively = sessions().open("b", 2, "lively");
        clock.advance(Sessions.LEASE.plusSeconds(1));
        lively = sessions().renew(sessions().open("c", 3, "new"), 5);
        assertThat(sessions().fenceExpired()).extracting(Session::purpose)
                .containsExactlyInAnyOrder("silent", "lively");
        assertThat(sessions().list()).extracting(Session::id).containsExactly(lively.id());
        var thrown = catchThrowable(() -> sessions().renew(silent, 5));
        assertThat(thrown).isInstanceOf(FsException.class);
        assertThat(((FsException) thrown).error()).isEqualTo(FsError.STALE);
        clock.advance(Duration.ofSeconds(1));
        assertThat(sessions().fenceExpired()).isEmpty();
    }

    private static void assertBusy(ThrowingCallable opening) {
        var thrown = catchThrowable(opening);
        assertThat(thrown).isInstanceOf(FsException.class);
        assertThat(((FsException) thrown).error()).isEqualTo(FsError.BUSY);
    }

    @Test
    void aSoleWriterLetsOnlyReadersIn() throws IOException {
        format();
        var alone = sessions().open("a", 1, "mount /alone", Sessions.Role.SOLE_WRITER);
        assertBusy(() -> sessions().open("b", 2, "put"));
        assertBusy(() -> sessions().open("b", 3, "mount", Sessions.Role.SOLE_WRITER));
        assertThat(catchThrowable(() -> sessions().open("b", 2, "put"))).hasMessageContaining("mount /alone");
        var reader = sessions().open("b", 4, "get", Sessions.Role.READER);
        sessions().end(reader.id());
        sessions().end(alone.id());
        sessions().open("b", 5, "put");
    }

    @Test
    void aSoleWriterDoesNotComeWhereOthersAre() throws IOException {
        format();
        var other = sessions().open("a", 1, "put");
        assertBusy(() -> sessions().open("b", 2, "mount", Sessions.Role.SOLE_WRITER));
        sessions().end(other.id());
        sessions().open("b", 2, "mount", Sessions.Role.SOLE_WRITER);
    }

    @Test
    void aSoleWriterThatWasSilentForTooLongNeverComesBack() throws IOException {
        format();
        var silent = sessions().open("a", 1, "mount", Sessions.Role.SOLE_WRITER);
        var names = new Namespace(engine, clock, silent.id());
        clock.advance(Sessions.LEASE.plusSeconds(1));
        sessions().open("b", 2, "put");
        var thrown = catchThrowable(() -> names.makeDirectory(Namespace.ROOT, Name.of("d"), 0755, Owner.ROOT));
        assertThat(thrown).isInstanceOf(FsException.class);
        assertThat(((FsException) thrown).error()).isEqualTo(FsError.STALE);
        assertThat(catchThrowable(() -> sessions().renew(silent, 5))).isInstanceOf(FsException.class);
    }

    @Test
    void whatASessionSaysOfItselfIsKept() throws IOException {
        format();
        var session = sessions().open("host", 42, "mount /data");
        assertThat(sessions().list()).containsExactly(session);
        var renewed = sessions().renew(session, 77);
        assertThat(renewed.lowWater()).isEqualTo(77);
        assertThat(sessions().list()).containsExactly(renewed);
        sessions().end(session.id());
        assertThat(sessions().list()).isEmpty();
    }
}
