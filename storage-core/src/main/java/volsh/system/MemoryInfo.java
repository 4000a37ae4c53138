package volsh.system;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import volsh.proc.KernelFile;
import volsh.unit.ByteSize;

/** The kernel's memory statistics (/proc/meminfo). Dirty bytes were written by programs but are on no disk yet. */
public record MemoryInfo(ByteSize total, ByteSize available, ByteSize cached, ByteSize dirty, ByteSize writeback) {
    public static MemoryInfo read(Path proc) throws IOException {
        return parse(KernelFile.text(proc.resolve("meminfo")));
    }

    static MemoryInfo parse(String text) {
        Map<String, ByteSize> values = new HashMap<>();
        for (String line : text.split("\n")) {
            var words = line.trim().split("[: ]+");
            if (words.length >= 2) {
                values.put(words[0], new ByteSize(Long.parseLong(words[1]) * (words.length > 2 ? ByteSize.KIB : 1)));
            }
        }
        return new MemoryInfo(value(values, "MemTotal"), value(values, "MemAvailable"), value(values, "Cached"),
                value(values, "Dirty"), value(values, "Writeback"));
    }

    private static ByteSize value(Map<String, ByteSize> values, String name) {
        var value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("/proc/meminfo does not contain " + name);
        }
        return value;
    }

    /** What a power loss would destroy: dirty bytes, and those being written to a disk. */
    public ByteSize atRisk() {
        return new ByteSize(dirty.bytes() + writeback.bytes());
    }
}
