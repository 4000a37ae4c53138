package volsh.command.console;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.OptionalLong;
import volsh.command.render.Json;
import volsh.unit.ByteSize;
import volsh.unit.Count;

/**
 * The state of a progress at one time. Where files are counted besides bytes, those lead of which there is more to
 * tell: the files if they are small.
 *
 * @param total      how much there is to do, negative when unknown
 * @param bytes      whether amounts are bytes; otherwise items
 * @param files      files that are done, besides their bytes
 * @param totalFiles how many there are, negative when unknown
 */
record Advance(String name, long done, long total, boolean bytes, Duration elapsed, long files, long totalFiles) {
    private static final double NANOS = 1e9;
    private static final long SMALL = ByteSize.MIB;
    private static final int BAR = 20;
    private static final int LEAST_WIDTH = 80;

    Advance(String name, long done, long total, boolean bytes, Duration elapsed) {
        this(name, done, total, bytes, elapsed, 0, -1);
    }

    /**
     * {@code put  [#####---------------]  30%  1.2GiB of 4GiB  12 of 40 files  512MiB/s  ETA 0:12}, with the parts that
     * are known; the bar only where the screen is wide enough.
     */
    String text(int width) {
        var text = new StringBuilder(name).append("  ");
        if (isKnown() && width >= LEAST_WIDTH) {
            int filled = (int) (percent() * BAR / 100);
            text.append('[').append("#".repeat(filled)).append("-".repeat(BAR - filled)).append("]  ");
        }
        if (isKnown()) {
            text.append(percent()).append("%  ");
        }
        text.append(leadsWithFiles() ? fileCount() + "  " + amounts() : amounts()
                + (files > 0 || totalFiles > 0 ? "  " + fileCount() : ""));
        if (perSecond() > 0) {
            text.append("  ").append(leadsWithFiles() ? Count.of(perSecond(), "file") : amount(perSecond()))
                    .append("/s");
        }
        left().ifPresent(seconds -> text.append("  ETA ").append(clock(seconds)));
        return text.toString();
    }

    private String amounts() {
        return total < 0 ? amount(done) : amount(done) + " of " + amount(total);
    }

    private String fileCount() {
        return totalFiles < 0 ? Count.of(files, "file")
                : String.format(Locale.ROOT, "%,d of %s", files, Count.of(totalFiles, "file"));
    }

    /** Whether there are many small files. */
    private boolean leadsWithFiles() {
        boolean known = totalFiles > 0 && total >= 0;
        long count = known ? totalFiles : files;
        return bytes && count > 1 && (known ? total : done) / count < SMALL;
    }

    private boolean isKnown() {
        return leadsWithFiles() ? totalFiles >= 0 : total >= 0;
    }

    /** The same for programs, one JSON object. */
    String json() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("progress", name);
        fields.put(bytes ? "doneBytes" : "done", done);
        fields.put(bytes ? "totalBytes" : "total", total < 0 ? null : total);
        if (bytes && (files > 0 || totalFiles >= 0)) {
            fields.put("files", files);
            fields.put("totalFiles", totalFiles < 0 ? null : totalFiles);
        }
        fields.put(bytes ? "bytesPerSecond" : "perSecond", perSecond(done));
        fields.put("elapsedSeconds", elapsed.toMillis() / 1000.0);
        fields.put("etaSeconds", left().isPresent() ? left().getAsLong() : null);
        return Json.of(fields);
    }

    private long percent() {
        long all = leadsWithFiles() ? totalFiles : total;
        return all == 0 ? 100 : Math.min(100, (long) (100.0 * lead() / all));
    }

    private long lead() {
        return leadsWithFiles() ? files : done;
    }

    private long perSecond() {
        return perSecond(lead());
    }

    private long perSecond(long amount) {
        long nanos = Math.max(1, elapsed.toNanos());
        return (long) (amount * (NANOS / nanos));
    }

    /** Seconds until the end at the speed so far. */
    private OptionalLong left() {
        long speed = perSecond();
        long all = leadsWithFiles() ? totalFiles : total;
        return all < lead() || speed == 0 ? OptionalLong.empty()
                : OptionalLong.of((all - lead() + speed - 1) / speed);
    }

    private String amount(long number) {
        return bytes ? new ByteSize(number).toString() : String.format(Locale.ROOT, "%,d", number);
    }

    private static String clock(long seconds) {
        long minute = seconds / 60;
        String minutes = minute < 60 ? Long.toString(minute) : minute / 60 + ":" + twoDigits(minute % 60);
        return minutes + ":" + twoDigits(seconds % 60);
    }

    private static String twoDigits(long number) {
        return number < 10 ? "0" + number : Long.toString(number);
    }
}
