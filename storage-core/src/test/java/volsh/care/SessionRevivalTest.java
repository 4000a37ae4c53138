package volsh.care;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.VolumeDraft;
import volsh.engine.postgres.PostgresUrl;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Lock;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.Unwritten;
import volsh.hang.Eventually;
import volsh.meta.Session;
import volsh.postgrestest.PostgresServer;
import volsh.unit.ByteSize;
import volsh.upkeep.Watcher;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;
import volsh.volume.Machine;
import volsh.volume.Volume;

/**
 * A volume whose session was ended by others comes back with a new one if nothing conflicts, and only then; no byte
 * that was acknowledged is lost, and none is committed over what others wrote meanwhile.
 */
@Timeout(120)
@Tag("volume")
final class SessionRevivalTest {
    @Nested
    final class OnSqlite extends Promises {
        @Override
        VolumeDraft draft() {
            return VolumeDraft.named(name);
        }

        /** Unlinked, open, and nobody freed it: it stays. Freed, it is gone, and never half there. */
        @Test
        void unlinkedFilesStayOrAreGone() throws Exception {
            Machine.write(here, "kept", Machine.bytes(13, 200_000));
            Machine.write(here, "freed", Machine.bytes(14, 200_000));
            try (var kept = openFile(here, "kept"); var freed = openFile(here, "freed")) {
                here.vfs().unlink(Vfs.ROOT, Name.of("freed"));
                fence();
                Eventually.nextSecond();
                there.collect(Duration.ZERO, Garbage.Watcher.NONE);
                assertStale(() -> here.vfs().unlink(Vfs.ROOT, Name.of("kept")));
                comesBack();
                here.vfs().unlink(Vfs.ROOT, Name.of("kept"));
                Eventually.nextSecond();
                there.collect(Duration.ZERO, Garbage.Watcher.NONE);
                var bytes = ByteBuffer.allocate(200_000);
                assertThat(kept.read(0, bytes)).isEqualTo(200_000);
                assertThat(bytes.array()).isEqualTo(Machine.bytes(13, 200_000));
                assertThat(catchThrowable(() -> freed.read(0, bytes.clear()))).isInstanceOf(IOException.class);
            }
        }
    }

    @Nested
    final class OnPostgres extends Promises {
        @Override
        VolumeDraft draft() throws Exception {
            return VolumeDraft.named(name).withDatabase(PostgresUrl.of(PostgresServer.shared().url()));
        }
    }

    abstract static class Promises {
        private static final Owner ME = Owner.ROOT;

        @TempDir
        Path directory;
        String name;
        private final List<SessionRevival.Revived> revived = new CopyOnWriteArrayList<>();
        Machine machine;
        Volume here;    // the one that is fenced
        Volume there;   // somebody else

        abstract VolumeDraft draft() throws Exception;

        @BeforeEach
        void open() throws Exception {
            machine = new Machine(directory);
            name = PostgresServer.freshName();
            machine.volumes().stores().add(Machine.STORE, StoreUrl.of(directory.resolve("lake").toUri().toString()));
            machine.volumes().create(draft().withStore(Machine.STORE).withBlockSize(ByteSize.of("64KiB")));
            here = machine.volumes().open(name, Access.WRITE, "here");
            here.comeBack(revived::add);
            there = machine.volumes().open(name, Access.WRITE, "there");
        }

        @AfterEach
        void close() throws Exception {
            try (var _ = here; var _ = there) {
                here.vfs().unwritten().discard();
            }
            assertThat(machine.volumes().upkeep().check(name, true, Optional.empty(), Watcher.NONE).problems())
                    .isEmpty();
        }

        void fence() throws IOException {
            try (var control = machine.volumes().sessionControl(name)) {
                for (var open : control.list()) {
                    if (open.session().purpose().equals("here")) {
                        control.fence(open.session().id(), true);
                    }
                }
            }
        }

        SessionRevival.Revived comesBack() {
            Eventually.holds("it has come back", () -> !revived.isEmpty());
            return revived.getFirst();
        }

        static void assertStale(ThrowingCallable call) {
            assertThat(catchThrowable(call)).isInstanceOfSatisfying(FsException.class,
                    refused -> assertThat(refused.error()).isEqualTo(FsError.STALE));
        }

        private void makeDirectory(String called) throws IOException {
            here.vfs().makeDirectory(Vfs.ROOT, Name.of(called), 0755, ME);
        }

        OpenFile openFile(Volume volume, String called) throws IOException {
            return volume.vfs().open(volume.paths().resolve("/" + called).ino());
        }

        private void overwrite(Volume volume, String called, byte[] bytes) throws IOException {
            try (var file = openFile(volume, called)) {
                file.write(0, ByteBuffer.wrap(bytes));
                file.fsync();
            }
        }

        @Test
        void withNothingUnwrittenItComesBack() throws Exception {
            Machine.write(here, "f", Machine.bytes(1, 300_000));
            fence();
            assertStale(() -> makeDirectory("first"));
            var back = comesBack();
            assertThat(back.lost()).isEmpty();
            assertThat(back.now().id()).isGreaterThan(back.ended().id());
            makeDirectory("second");
            Machine.write(here, "g", Machine.bytes(2, 300_000));
            assertThat(Machine.read(there, "g")).isEqualTo(Machine.bytes(2, 300_000));
            assertThat(Machine.read(here, "f")).isEqualTo(Machine.bytes(1, 300_000));
            assertThat(here.sessionFailure()).isEmpty();
        }

        /**
         * Some of its blocks are in the store under numbers of the session that was ended, where they are garbage: they
         * are stored again.
         */
        @Test
        void unwrittenBytesOverAnUnchangedFileAreCommitted() throws Exception {
            var bytes = Machine.bytes(3, 500_000);
            Machine.write(here, "small", Machine.bytes(4, 100));
            try (var file = here.vfs().create(Vfs.ROOT, Name.of("large"), 0644, ME);
                    var small = openFile(here, "small")) {
                fence();
                file.write(0, ByteBuffer.wrap(bytes));
                small.write(50, ByteBuffer.wrap(Machine.bytes(5, 100)));
                catchThrowable(file::flush);   // unless it has come back by then
                assertThat(comesBack().lost()).isEmpty();
                there.collect(Duration.ZERO, Garbage.Watcher.NONE);
                file.fsync();
                small.fsync();
            }
            assertThat(Machine.read(there, "large")).isEqualTo(bytes);
            var small = ByteBuffer.allocate(150).put(Machine.bytes(4, 100)).position(50).put(Machine.bytes(5, 100))
                    .array();
            assertThat(Machine.read(there, "small")).isEqualTo(small);
        }

        @Test
        void whatOthersChangedMeanwhileIsNotOverwritten() throws Exception {
            for (var each : List.of("inline", "large", "gone", "mine")) {
                Machine.write(here, each, Machine.bytes(6, each.equals("large") ? 200_000 : 100));
            }
            try (var inline = openFile(here, "inline"); var large = openFile(here, "large");
                    var gone = openFile(here, "gone"); var mine = openFile(here, "mine")) {
                for (var file : List.of(inline, large, gone, mine)) {
                    file.write(10, ByteBuffer.wrap(Machine.bytes(7, 50)));
                }
                fence();
                overwrite(there, "inline", Machine.bytes(8, 100));
                overwrite(there, "large", Machine.bytes(9, 200_000));
                there.vfs().unlink(Vfs.ROOT, Name.of("gone"));
                var again = openFile(here, "large");
                // who looks at the file while fenced does not make it unchanged
                again.read(0, ByteBuffer.allocate(10));
                assertStale(again::close);   // the bytes are of all who have it open
                assertThat(comesBack().lost()).extracting(Unwritten::ino).contains(inline.ino(), large.ino())
                        .doesNotContain(mine.ino());
                for (var file : List.of(inline, large)) {
                    assertStale(file::flush);
                    assertStale(() -> file.write(0, ByteBuffer.wrap(new byte[1])));
                    assertStale(file::fsync);
                    assertStale(file::close);
                }
                mine.fsync();
                overwrite(here, "inline", Machine.bytes(10, 20));   // opened anew it is written as any other
            }
            var inline = ByteBuffer.allocate(100).put(Machine.bytes(10, 20)).put(Machine.bytes(8, 100), 20, 80).array();
            assertThat(Machine.read(there, "inline")).isEqualTo(inline);
            assertThat(Machine.read(there, "large")).isEqualTo(Machine.bytes(9, 200_000));
            var mine = ByteBuffer.allocate(100).put(Machine.bytes(6, 100)).position(10).put(Machine.bytes(7, 50))
                    .array();
            assertThat(Machine.read(there, "mine")).isEqualTo(mine);
        }

        /**
         * Blocks that others replaced while nobody kept them may be deleted: who has the file open reads what is there
         * now.
         */
        @Test
        void openFilesReadWhatIsThereNow() throws Exception {
            Machine.write(here, "f", Machine.bytes(20, 200_000));
            try (var file = openFile(here, "f")) {
                var bytes = ByteBuffer.allocate(200_000);
                file.read(0, bytes);
                fence();
                overwrite(there, "f", Machine.bytes(21, 200_000));
                there.collect(Duration.ZERO, Garbage.Watcher.NONE);
                assertStale(() -> makeDirectory("d"));
                comesBack();
                assertThat(file.read(0, bytes.clear())).isEqualTo(200_000);
                assertThat(bytes.array()).isEqualTo(Machine.bytes(21, 200_000));
            }
        }

        /** Somebody believes to be alone. He hears that he is not, and nothing is changed here until he has let go. */
        @Test
        void whileLocksAreHeldItStaysFenced() throws Exception {
            Machine.write(here, "lock", new byte[0]);
            Machine.write(here, "data", Machine.bytes(11, 100));
            long ino = here.paths().resolve("/lock").ino();
            var wanted = new Lock(Lock.Kind.WHOLE, true, 0, Lock.END, 7, 4321);
            here.vfs().locking().tryLock(ino, wanted);
            try (var data = openFile(here, "data")) {
                data.write(0, ByteBuffer.wrap(Machine.bytes(12, 100)));
                fence();
                there.vfs().locking().tryLock(ino, wanted);
                assertThat(Machine.read(there, "data")).as("what is written under the lock")
                        .isEqualTo(Machine.bytes(11, 100));
                assertStale(data::flush);
                Eventually.value("it names who is in the way", here::sessionFailure, failure ->
                        failure.filter(why -> why.cause().getMessage().contains("process 4321")).isPresent());
                assertStale(() -> makeDirectory("d"));
                assertThat(revived).isEmpty();
                // and a new session is opened at once
                assertStale(() -> here.vfs().locking().unlockAll(ino, Lock.Kind.WHOLE, 7));
                assertThat(comesBack().lost()).as("the lock was the reason to believe that nobody reads it")
                        .extracting(Unwritten::ino).containsExactly(data.ino());
                assertStale(data::flush);
            } catch (FsException closing) {
                assertThat(closing.error()).isEqualTo(FsError.STALE);
            }
            assertThat(Machine.read(there, "data")).isEqualTo(Machine.bytes(11, 100));
            assertThat(catchThrowable(() -> here.vfs().locking().tryLock(ino, wanted))).as("it is the other's")
                    .isInstanceOf(FsException.class);
        }

        /** Locks that were let go of do not matter. */
        @Test
        void rangesThatWereReleasedDoNotKeepItFenced() throws Exception {
            Machine.write(here, "lock", new byte[0]);
            long ino = here.paths().resolve("/lock").ino();
            here.vfs().locking().tryLock(ino, new Lock(Lock.Kind.RANGE, true, 5, 9, 7, 4321));
            here.vfs().locking().tryLock(ino, new Lock(Lock.Kind.RANGE, true, 20, 29, 7, 4321));
            here.vfs().locking().unlock(ino, Lock.Kind.RANGE, 7, 5, 9);
            assertThat(here.vfs().locking().holders()).containsExactly(4321);
            here.vfs().locking().unlock(ino, Lock.Kind.RANGE, 7, 20, 29);
            assertThat(here.vfs().locking().holders()).isEmpty();
            fence();
            assertStale(() -> makeDirectory("d"));
            comesBack();
        }

        @Test
        void aSoleWriterStaysFenced() throws Exception {
            there.close();
            here.close();
            here = machine.volumes().open(name, Access.WRITE_ALONE, "here");
            here.comeBack(revived::add);
            fence();
            there = machine.volumes().open(name, Access.WRITE, "there");
            assertStale(() -> makeDirectory("d"));
            assertStale(() -> makeDirectory("d"));
            assertThat(revived).isEmpty();
        }

        /** Somebody who found the volume unused gave it what those who have it open do not know of. */
        @Test
        void aVolumeThatIsAnotherOneNowIsNotComeBackTo() throws Exception {
            there.close();
            fence();
            machine.volumes().stores().add("pond", StoreUrl.of(directory.resolve("pond").toUri().toString()));
            machine.volumes().spreading().add(name, List.of("pond"));
            assertStale(() -> makeDirectory("d"));
            Eventually.value("it stays away", here::sessionFailure, failure -> failure.filter(
                    why -> why.cause().getMessage().contains("changed meanwhile: mount it again")).isPresent());
            assertThat(revived).isEmpty();
            assertThat(machine.volumes().status(name).sessions()).as("none that nobody uses").isEmpty();
            there = machine.volumes().open(name, Access.WRITE, "there");
        }

        @Test
        void itComesBackAgainAndAgain() throws Exception {
            for (int round = 0; round < 5; round++) {
                int before = revived.size();
                fence();
                int now = round;
                assertStale(() -> makeDirectory("lost" + now));
                Eventually.holds("it has come back", () -> revived.size() > before);
                makeDirectory("made" + round);
            }
            assertThat(there.vfs().list(Vfs.ROOT, null, 100)).hasSize(5);
            assertThat(revived).extracting(each -> each.now().id()).doesNotHaveDuplicates();
            assertThat(machine.volumes().status(name).sessions()).extracting(Session::purpose)
                    .containsExactlyInAnyOrder("here", "there");
        }
    }
}
