package volsh.system;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import volsh.proc.KernelFile;

/** The counters of a block device since boot, from /proc/diskstats. Sectors always have 512 bytes. */
public record DiskCounters(String device, long reads, long readsMerged, long readSectors, long readMillis,
        long writes, long writesMerged, long writtenSectors, long writeMillis, long busyMillis, long weightedMillis) {
    private static final int NAME = 2;
    private static final int FIELDS = 14;

    /** Every device with any activity, in the kernel's order. */
    public static Map<String, DiskCounters> read(Path proc) throws IOException {
        return parse(KernelFile.text(proc.resolve("diskstats")));
    }

    static Map<String, DiskCounters> parse(String text) {
        Map<String, DiskCounters> devices = new LinkedHashMap<>();
        for (String line : text.split("\n")) {
            var words = line.trim().split(" +");
            if (words.length >= FIELDS) {
                var counters = of(words);
                if (counters.reads + counters.writes > 0) {
                    devices.put(counters.device, counters);
                }
            }
        }
        return devices;
    }

    private static DiskCounters of(String[] words) {
        long[] n = new long[FIELDS - NAME - 1];
        for (int i = 0; i < n.length; i++) {
            n[i] = Long.parseLong(words[NAME + 1 + i]);
        }
        return new DiskCounters(words[NAME], n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[9], n[10]);
    }
}
