package volsh.engine.sqlite;

import static java.nio.file.attribute.PosixFilePermissions.asFileAttribute;
import static java.nio.file.attribute.PosixFilePermissions.fromString;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import volsh.engine.sqlite.WriteAheadLog.Mark;
import volsh.proc.KernelFile;
import volsh.proc.ProcessStat;

/**
 * The small file beside a database that records which frames of its log have survived a sync. It is written after every
 * sync but never synced itself, so it may be outdated, also after power loss, but it never claims more than the disk
 * has.
 *
 * @param mark what was synced last
 * @param anchor this boot of the machine and these very files: a copy has another
 * @param process the process that wrote it; 0 if it has closed the database since
 * @param started when that process started, in ticks
 */
record LogTip(Mark mark, UUID anchor, long process, long started) {
    static final int BYTES = 64;
    private static final int MAGIC = 0x76746970;   // "vtip"
    private static final int FORMAT = 1;
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

    /** Empty if there is none, or it is not credible. */
    static Optional<LogTip> read(DatabaseFile file) throws IOException {
        if (!Files.exists(file.tip())) {
            return Optional.empty();
        }
        byte[] bytes = Files.readAllBytes(file.tip());
        var in = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES || in.getInt(BYTES - 4) != sum(bytes) || in.getInt() != MAGIC
                || in.getInt() != FORMAT) {
            return Optional.empty();
        }
        var mark = new Mark(in.getLong(), in.getInt());
        return Optional.of(new LogTip(mark, new UUID(in.getLong(), in.getLong()), in.getLong(), in.getLong()));
    }

    /** The tip of this process, about the files as they are. */
    static LogTip here(DatabaseFile file, Mark mark) throws IOException {
        long process = ProcessHandle.current().pid();
        return new LogTip(mark, anchor(file), process, ticks(process));
    }

    LogTip with(Mark other) {
        return new LogTip(other, anchor, process, started);
    }

    LogTip closed() {
        return new LogTip(mark, anchor, 0, 0);
    }

    byte[] bytes() {
        var out = ByteBuffer.allocate(BYTES).putInt(MAGIC).putInt(FORMAT).putLong(mark.salts()).putInt(mark.frames())
                .putLong(anchor.getMostSignificantBits()).putLong(anchor.getLeastSignificantBits())
                .putLong(process).putLong(started);
        return out.putInt(BYTES - 4, sum(out.array())).array();
    }

    private static int sum(byte[] bytes) {
        var sum = new CRC32C();
        sum.update(bytes, 0, BYTES - 4);
        return (int) sum.getValue();
    }

    /** Whether it was written since boot, about these very files. */
    boolean isOf(DatabaseFile file) throws IOException {
        return anchor.equals(anchor(file));
    }

    /** Whether the process that wrote it is running, with the database open. */
    boolean isInUse() {
        return process != 0
                && ProcessStat.of(process).filter(stat -> stat.isRunning() && stat.startTicks() == started).isPresent();
    }

    boolean isSameProcess(@Nullable LogTip other) {
        return other != null && process == other.process && started == other.started;
    }

    private static long ticks(long process) {
        return ProcessStat.of(process).map(ProcessStat::startTicks).orElse(0L);
    }

    private static UUID anchor(DatabaseFile file) throws IOException {
        var text = KernelFile.line(BOOT) + key(file.wal()) + key(file.index());
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String key(Path path) throws IOException {
        return Files.exists(path)
                ? String.valueOf(Files.readAttributes(path, BasicFileAttributes.class).fileKey()) : "-";
    }

    /** Creates the file if it does not exist, readable by its owner only. */
    static void make(DatabaseFile file) throws IOException {
        if (!Files.exists(file.tip())) {
            Files.createFile(file.tip(), asFileAttribute(fromString("rw-------")));
        }
    }
}
