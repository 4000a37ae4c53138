package volsh.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import volsh.proc.KernelFile;
import volsh.unit.ByteSize;

/**
 * The kernel's limits on dirty bytes: above {@code background} it writes them out in the background, above {@code
 * blocking} writers have to wait. Either is a number of bytes, or a percentage of memory; setting one clears the other.
 */
public record DirtyLimits(ByteSize background, ByteSize blocking) {
    /** Reserve beyond the size of a checkpoint for other writers. */
    private static final double SPARE = 1.1;
    /** The largest fraction of memory to use: the job needs the rest. */
    private static final double MOST = 0.6;

    public static DirtyLimits read(Path proc) throws IOException {
        var settings = Settings.read(proc);
        long available = MemoryInfo.read(proc).available().bytes();
        return new DirtyLimits(new ByteSize(settings.background().of(available)),
                new ByteSize(settings.blocking().of(available)));
    }

    /**
     * Limits that let memory absorb a checkpoint of this size without a stall, as far as possible, while the disk
     * starts writing at once.
     */
    public static DirtyLimits forCheckpoint(ByteSize checkpoint, MemoryInfo memory) {
        long most = (long) (memory.available().bytes() * MOST);
        long blocking = Math.min((long) (checkpoint.bytes() * SPARE), most);
        return new DirtyLimits(new ByteSize(Math.max(ByteSize.MIB, blocking / 20)),
                new ByteSize(Math.max(2 * ByteSize.MIB, blocking)));
    }

    /** How much of a checkpoint has to wait for the disk under these limits. */
    public ByteSize stalled(ByteSize checkpoint) {
        return new ByteSize(Math.max(0, checkpoint.bytes() - blocking.bytes()));
    }

    /** Sets them, in bytes. @throws IOException if this user may not */
    public void apply(Path proc) throws IOException {
        new Settings(new Limit(background.bytes(), 0), new Limit(blocking.bytes(), 0)).apply(proc);
    }

    /** One limit as the kernel stores it: bytes, or a percentage if bytes are 0. A percentage of 0 is a limit, too. */
    public record Limit(long bytes, long ratio) {
        private static Limit read(Path vm, String name) throws IOException {
            return new Limit(KernelFile.number(vm.resolve(name + "_bytes")),
                    KernelFile.number(vm.resolve(name + "_ratio")));
        }

        private long of(long available) {
            return bytes > 0 ? bytes : available * ratio / 100;
        }

        /** Writes the one in force, which clears the other. */
        private void write(Path vm, String name) throws IOException {
            if (bytes > 0) {
                Files.writeString(vm.resolve(name + "_bytes"), Long.toString(bytes));
                return;
            }
            if (ratio == 0) {       // it is already 0 next to bytes, and only a change clears those
                Files.writeString(vm.resolve(name + "_ratio"), "1");
            }
            Files.writeString(vm.resolve(name + "_ratio"), Long.toString(ratio));
        }
    }

    /** The current settings, to be restored exactly later. */
    public record Settings(Limit background, Limit blocking) {
        private static final String BACKGROUND = "dirty_background";
        private static final String BLOCKING = "dirty";

        public static Settings read(Path proc) throws IOException {
            var vm = proc.resolve("sys/vm");
            return new Settings(Limit.read(vm, BACKGROUND), Limit.read(vm, BLOCKING));
        }

        /** @throws IOException if this user may not, or if the kernel did not accept them */
        public void restore(Path proc) throws IOException {
            apply(proc);
            var now = read(proc);
            if (!now.equals(this)) {
                throw new IOException("restoring the limits of dirty pages failed: they are %s, but should be %s"
                        .formatted(now, this));
            }
        }

        private void apply(Path proc) throws IOException {
            var vm = proc.resolve("sys/vm");
            blocking.write(vm, BLOCKING);
            background.write(vm, BACKGROUND);
        }

        /** Parses what {@link #toString} wrote. */
        static Settings parse(String text) throws IOException {
            var values = new HashMap<String, Long>();
            try {
                for (String word : text.split(" ")) {
                    int cut = word.indexOf('=');
                    values.put(word.substring(0, cut), Long.parseLong(word.substring(cut + 1)));
                }
            } catch (IndexOutOfBoundsException | NumberFormatException damaged) {
                throw new IOException("invalid limits of dirty pages: '%s'".formatted(text), damaged);
            }
            return new Settings(limit(values, BACKGROUND), limit(values, BLOCKING));
        }

        private static Limit limit(Map<String, Long> values, String name) throws IOException {
            var bytes = values.get("vm.%s_bytes".formatted(name));
            var ratio = values.get("vm.%s_ratio".formatted(name));
            if ((bytes == null) == (ratio == null)) {
                throw new IOException("no limit vm.%s among %s".formatted(name, values));
            }
            return new Limit(bytes == null ? 0 : bytes, ratio == null ? 0 : ratio);
        }

        /** In the notation of sysctl. */
        @Override
        public String toString() {
            return "%s %s".formatted(setting(BLOCKING, blocking), setting(BACKGROUND, background));
        }

        private static String setting(String name, Limit limit) {
            return limit.bytes() > 0 ? "vm.%s_bytes=%d".formatted(name, limit.bytes())
                    : "vm.%s_ratio=%d".formatted(name, limit.ratio());
        }
    }
}
