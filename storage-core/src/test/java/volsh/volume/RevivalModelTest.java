package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.care.Garbage;
import volsh.catalog.Access;
import volsh.catalog.VolumeDraft;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.unit.ByteSize;
import volsh.upkeep.Watcher;
import volsh.vfs.OpenFile;

/**
 * Two volumes, one of which is fenced again and again, write the same files at random. What was acknowledged is there;
 * what was not is there as a whole or not at all, and never over what the other one wrote in between.
 */
@Timeout(300)
@Tag("model")
final class RevivalModelTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int STEPS = LONG ? 5_000 : 100;
    private static final int FILES = 4;
    // less than a block: a full one is written out at once, and finds out that it is fenced
    private static final int SIZE = 60_000;

    @TempDir
    Path directory;
    private final AtomicInteger revivals = new AtomicInteger();
    private final byte[][] acknowledged = new byte[FILES][];
    private Machine machine;

    /**
     * A file that is open in the volume that is fenced, and what was written to it since it was last synced; null if
     * nothing was.
     */
    private static final class Writer {
        OpenFile file;
        byte[] pending;
        boolean overtaken;   // by the other one, while this one was fenced: it must not be committed
        boolean unsure;      // or while it was coming back
        boolean behind;      // the other one wrote since this one did: it need not be
    }

    @Test
    void noAcknowledgedByteIsLostOrWrong() throws Exception {
        long seed = Long.getLong("volsh.seed", new Random().nextLong());
        try {
            run(new Random(seed));
        } catch (IOException | AssertionError failed) {
            throw new AssertionError("-Dvolsh.seed=" + seed, failed);
        }
    }

    private void run(Random random) throws Exception {
        machine = new Machine(directory);
        machine.volumes().stores().add(Machine.STORE, StoreUrl.of(directory.resolve("lake").toUri().toString()));
        machine.volumes()
                .create(VolumeDraft.named("data").withStore(Machine.STORE).withBlockSize(ByteSize.of("64KiB")));
        try (var here = machine.volumes().open("data", Access.WRITE, "here");
                var there = machine.volumes().open("data", Access.WRITE, "there")) {
            here.comeBack(revived -> revivals.incrementAndGet());
            var writers = new Writer[FILES];
            for (int i = 0; i < FILES; i++) {
                acknowledged[i] = Machine.bytes(i, i % 2 == 0 ? SIZE : 300);
                Machine.write(there, "f" + i, acknowledged[i]);
                writers[i] = open(here, i);
            }
            for (int step = 0; step < STEPS; step++) {
                int i = random.nextInt(FILES);
                switch (random.nextInt(6)) {
                    case 0 -> fence();
                    case 1 -> overwrite(there, i, random, writers[i]);
                    case 2 -> sync(here, writers[i], i);
                    case 3 -> {
                        comeBack(here);
                        settle(here, writers);
                    }
                    default -> write(writers[i], i, random);
                }
            }
            comeBack(here);
            settle(here, writers);
            for (int i = 0; i < FILES; i++) {
                assertThat(Machine.read(there, "f" + i)).as("f" + i).isEqualTo(acknowledged[i]);
                writers[i].file.close();
            }
            // what a session stored and never committed is garbage
            there.collect(Duration.ZERO, Garbage.Watcher.NONE);
        }
        assertThat(revivals.get()).isPositive();
        assertThat(machine.volumes().upkeep().check("data", true, Optional.empty(), Watcher.NONE).problems()).isEmpty();
    }

    private static Writer open(Volume here, int i) throws IOException {
        var writer = new Writer();
        writer.file = here.vfs().open(here.paths().resolve("/f" + i).ino());
        return writer;
    }

    private void fence() throws IOException {
        try (var control = machine.volumes().sessionControl("data")) {
            for (var open : control.list()) {
                if (open.session().purpose().equals("here")) {
                    control.fence(open.session().id(), true);
                }
            }
        }
    }

    private boolean isFenced() throws IOException {
        return machine.volumes().status("data").sessions().stream()
                .noneMatch(session -> session.purpose().equals("here"));
    }

    private void write(Writer writer, int i, Random random) throws IOException {
        var bytes = writer.pending == null ? acknowledged[i].clone() : writer.pending;
        int at = random.nextInt(bytes.length);
        var piece = Machine.bytes(random.nextLong(), 1 + random.nextInt(bytes.length - at));
        try {
            writer.file.write(at, ByteBuffer.wrap(piece));
        } catch (FsException stale) {
            assertThat(stale.error()).isEqualTo(FsError.STALE);
            return;   // it has come back meanwhile, without the bytes before these: that is settled later
        }
        System.arraycopy(piece, 0, bytes, at, piece.length);
        writer.pending = bytes;
    }

    /**
     * Where both have a session, they overwrite each other as they like: so the other one writes only what has no
     * unwritten bytes, or is fenced off.
     */
    private void overwrite(Volume there, int i, Random random, Writer writer) throws IOException {
        if (writer.pending != null && !isFenced()) {
            return;
        }
        var bytes = Machine.bytes(random.nextLong(), acknowledged[i].length);
        try (var file = there.vfs().open(there.paths().resolve("/f" + i).ino())) {
            file.write(0, ByteBuffer.wrap(bytes));
            file.fsync();
        }
        acknowledged[i] = bytes;
        writer.behind = true;
        boolean stillFenced = isFenced();   // else the lease was to be renewed just now, and nobody knows who was first
        writer.overtaken |= writer.pending != null && stillFenced;
        writer.unsure |= writer.pending != null && !stillFenced;
    }

    private void sync(Volume here, Writer writer, int i) throws Exception {
        try {
            writer.file.fsync();
        } catch (FsException stale) {
            assertThat(stale.error()).isEqualTo(FsError.STALE);
            comeBack(here);
            return;
        }
        if (writer.pending != null) {
            assertThat(writer.overtaken).as("what the other one wrote is not overwritten").isFalse();
            acknowledged[i] = writer.unsure ? Machine.read(here, "f" + i) : writer.pending;
            writer.unsure = false;
            writer.pending = null;
            writer.behind = false;
        }
    }

    private static void comeBack(Volume here) throws Exception {
        long root = here.paths().resolve("/").ino();
        var tries = new AtomicInteger();
        Eventually.holds("it has come back", () -> {
            var name = Name.of("d" + tries.getAndIncrement());
            try {
                here.vfs().makeDirectory(root, name, 0755, Owner.ROOT);
                here.vfs().removeDirectory(root, name);
                return true;
            } catch (FsException stale) {
                assertThat(stale.error()).isIn(FsError.STALE, FsError.EXISTS);
                return false;
            }
        });
    }

    /** It is there again: every file can be synced, but for those that lost bytes, which are opened again. */
    private void settle(Volume here, Writer[] writers) throws Exception {
        for (int i = 0; i < FILES; i++) {
            sync(here, writers[i], i);
            if (isStale(writers[i].file)) {
                assertThat(writers[i].behind).as("only what the other one changed is lost").isTrue();
                try {
                    writers[i].file.close();
                } catch (FsException told) {
                    assertThat(told.error()).isEqualTo(FsError.STALE);
                }
                writers[i] = open(here, i);
            }
            assertThat(writers[i].pending).isNull();
            assertThat(Machine.read(here, "f" + i)).as("f" + i).isEqualTo(acknowledged[i]);
        }
    }

    private static boolean isStale(OpenFile file) throws IOException {
        try {
            file.flush();
            return false;
        } catch (FsException stale) {
            return true;
        }
    }
}
