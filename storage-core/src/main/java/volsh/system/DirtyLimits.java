package volsh.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import volsh.unit.ByteSize;

/**
 * How many dirty bytes the kernel lets stand: above {@code background} it writes them out beside the programs, above {@code
 * blocking} whoever writes has to wait. Either is a number of bytes, or a percentage of memory; setting one clears the other.
 */
public record DirtyLimits(ByteSize background, ByteSize blocking, boolean inBytes) {
    /** What a checkpoint needs beyond its own size: others write, too. */
    private static final double SPARE = 1.1;
    /** More than this part of memory is never asked for: the job needs it. */
    private static final double MOST = 0.6;

    public static DirtyLimits read(Path proc) throws IOException {
        long bytes = number(proc, "dirty_bytes");
        if (bytes > 0) {
            return new DirtyLimits(new ByteSize(number(proc, "dirty_background_bytes")), new ByteSize(bytes), true);
        }
        long total = Memory.read(proc).available().bytes();
        return new DirtyLimits(new ByteSize(total * number(proc, "dirty_background_ratio") / 100),
                new ByteSize(total * number(proc, "dirty_ratio") / 100), false);
    }

    /**
     * Limits under which a checkpoint of this size is taken in without a stall as far as memory allows, while the disk begins
     * to work at once.
     */
    public static DirtyLimits forCheckpoint(ByteSize checkpoint, Memory memory) {
        long most = (long) (memory.available().bytes() * MOST);
        long blocking = Math.min((long) (checkpoint.bytes() * SPARE), most);
        return new DirtyLimits(new ByteSize(Math.max(ByteSize.MIB, blocking / 20)), new ByteSize(Math.max(2 * ByteSize.MIB, blocking)), true);
    }

    /** What of a checkpoint has to wait for the disk under these limits. */
    public ByteSize stalled(ByteSize checkpoint) {
        return new ByteSize(Math.max(0, checkpoint.bytes() - blocking.bytes()));
    }

    /** Sets them, in bytes. @throws IOException if this user may not */
    public void apply(Path proc) throws IOException {
        // never background above blocking in between: the kernel would ignore it
        Files.writeString(proc.resolve("sys/vm/dirty_bytes"), Long.toString(blocking.bytes()));
        Files.writeString(proc.resolve("sys/vm/dirty_background_bytes"), Long.toString(background.bytes()));
    }

    private static long number(Path proc, String name) throws IOException {
        return Long.parseLong(Files.readString(proc.resolve("sys/vm").resolve(name)).trim());
    }

    /** The four settings as they stand, to be put back afterwards. */
    public record Saved(long backgroundBytes, long bytes, long backgroundRatio, long ratio) {
        public static Saved read(Path proc) throws IOException {
            return new Saved(number(proc, "dirty_background_bytes"), number(proc, "dirty_bytes"), number(proc, "dirty_background_ratio"),
                    number(proc, "dirty_ratio"));
        }

        public void restore(Path proc) throws IOException {
            write(proc, "dirty_ratio", ratio);
            write(proc, "dirty_bytes", bytes);
            write(proc, "dirty_background_ratio", backgroundRatio);
            write(proc, "dirty_background_bytes", backgroundBytes);
        }

        /** A setting that is 0 is the one that is not in force. */
        private static void write(Path proc, String name, long value) throws IOException {
            if (value > 0) {
                Files.writeString(proc.resolve("sys/vm").resolve(name), Long.toString(value));
            }
        }
    }
}
