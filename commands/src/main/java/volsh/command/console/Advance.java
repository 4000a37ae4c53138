package volsh.command.console;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.OptionalLong;
import volsh.command.render.Json;
import volsh.unit.ByteSize;

/**
 * The state of a progress at one time.
 *
 * @param total how much there is to do, negative when unknown
 * @param bytes whether amounts are bytes; otherwise items
 */
record Advance(String name, long done, long total, boolean bytes, Duration elapsed) {
    private static final double NANOS = 1e9;

    /** {@code put  1.2GiB of 4GiB  30%  512MiB/s  ETA 0:12}, with the parts that are known. */
    String text() {
        var text = new StringBuilder(name).append("  ").append(amount(done));
        if (total >= 0) {
            text.append(" of ").append(amount(total)).append("  ").append(percent()).append('%');
        }
        if (done > 0) {
            text.append("  ").append(amount(perSecond())).append("/s");
        }
        left().ifPresent(seconds -> text.append("  ETA ").append(clock(seconds)));
        return text.toString();
    }

    /** The same for programs, one JSON object. */
    String json() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("progress", name);
        fields.put(bytes ? "doneBytes" : "done", done);
        fields.put(bytes ? "totalBytes" : "total", total < 0 ? null : total);
        fields.put(bytes ? "bytesPerSecond" : "perSecond", perSecond());
        fields.put("elapsedSeconds", elapsed.toMillis() / 1000.0);
        fields.put("etaSeconds", left().isPresent() ? left().getAsLong() : null);
        return Json.of(fields);
    }

    private long percent() {
        return total == 0 ? 100 : Math.min(100, (long) (100.0 * done / total));
    }

    private long perSecond() {
        long nanos = Math.max(1, elapsed.toNanos());
        return (long) (done * (NANOS / nanos));
    }

    /** Seconds until the end at the speed so far. */
    private OptionalLong left() {
        long speed = perSecond();
        return total < done || speed == 0 ? OptionalLong.empty() : OptionalLong.of((total - done + speed - 1) / speed);
    }

    private String amount(long number) {
        return bytes ? new ByteSize(number).toString() : Long.toString(number);
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
