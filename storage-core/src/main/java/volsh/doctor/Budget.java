package volsh.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import volsh.fs.ShellWord;
import volsh.unit.ByteSize;

/**
 * Where the time of reads goes, from the program down to the store, and five checks for slow reads: striping, load of
 * the metadata, the path to the store, locks, and the size of requests.
 */
public final class Budget {
    private static final Duration LATE_NAME = Duration.ofMillis(2);
    private static final Duration LATE_GET = Duration.ofMillis(20);
    private static final ByteSize SMALL = new ByteSize(16 * ByteSize.KIB);
    private static final double MUCH = 0.05;

    private final ReadSample reading;
    private final ActivitySample sample;
    private final Subject subject;
    private final String path;

    /** {@code sample}: what the mount did meanwhile. */
    public Budget(ReadSample reading, ActivitySample sample, Subject subject, String path) {
        this.reading = reading;
        this.sample = sample;
        this.subject = subject;
        this.path = path;
    }

    /** A part of the time, or a check: {@code wrong} marks the narrowest part, or a failed check. */
    public record Line(String name, double part, boolean wrong, String evidence, String fix, String gain) {}

    /** The parts of the time that programs waited; the first is the narrowest stage. */
    public List<Line> stages() {
        double total = Math.max(1, reading.total().toNanos());
        double open = reading.openTime().toNanos() / total;
        double served = Math.min(reading.readTime().toNanos(), sample.readTime().toNanos()) / total;
        double miss = Math.min(served, sample.getTime().toNanos() / total);
        double decode = Math.min(served - miss, sample.decodeTime().toNanos() / total);
        double transfer = served - miss - decode;
        double rest = Math.max(0, 1 - open - served);
        double inMemory = rest * Math.clamp(1 - (double) sample.readBytes() / Math.max(1, reading.bytes()), 0, 1);
        double queue = rest - inMemory;
        var lines = new ArrayList<Line>();
        lines.add(stage("open and metadata", open, "%d files opened, %s each".formatted(reading.files(),
                each(reading.openTime(), reading.files())), "pack small files (tar, WebDataset), or keep names longer: "
                + Diagnosis.again(subject.volume(), subject.mount(), "--entry-timeout 1m --attribute-timeout 1m")));
        lines.add(stage("cache miss", miss, "%d gets of %s each, %s of the frames were in the cache"
                .formatted(sample.gets(), each(sample.getTime(), sample.gets()),
                percent(sample.hitRatio())), Diagnosis.warm(sample, subject.volume(), subject.mount())));
        lines.add(stage("transfer", transfer,
                "%d requests of %s reached the mount, %s each, not counting store and decoding"
                .formatted(sample.reads(), sample.meanRead(),
                each(Duration.ofNanos((long) (transfer * total)), sample.reads())),
                        "read 1MiB at a time, and through the page cache (no --direct-io)"));
        lines.add(stage("decode", decode, "checking and decoding took %s for %s".formatted(millis(sample.decodeTime()),
                new ByteSize(sample.gotBytes())),
                "volsh bench run compress --on " + ShellWord.of(path)));
        lines.add(stage("queueing", queue, "programs waited %s for reads, the mount worked %s on them"
                .formatted(millis(reading.readTime()), millis(sample.readTime())),
                "volsh bench run loader --on " + ShellWord.of(path)));
        lines.add(new Line("page cache", inMemory, false, "%s of %s were read through the mount"
                .formatted(new ByteSize(sample.readBytes()), new ByteSize(reading.bytes())),
                "none: the rest was in the kernel's page cache", ""));
        lines.sort((one, other) -> Double.compare(other.part(), one.part()));
        var first = lines.getFirst();
        lines.set(0, new Line(first.name(), first.part(), true, first.evidence(), first.fix(), first.gain()));
        return lines;
    }

    private static Line stage(String name, double part, String evidence, String fix) {
        return new Line(name, part, false, evidence, fix, part < MUCH ? "" : String.format(Locale.ROOT,
                "up to %.1f times as fast without it", 1 / Math.max(0.01, 1 - part)));
    }

    /** The five checks. */
    public List<Line> checks() {
        double locks = sample.served().isZero() ? 0 : Math.min(1, (double) sample.lockTime().toNanos() / Math.max(1,
                reading.total().toNanos()));
        boolean late = sample.gets() > 0 && sample.meanGet().compareTo(LATE_GET) >= 0;
        boolean small = sample.reads() > 0 && sample.meanRead().compareTo(SMALL) <= 0 && reading.bytes() / Math.max(1,
                reading.files()) > SMALL.bytes();
        return List.of(
                new Line("stripe", 0, late && subject.stores() > subject.width(), "a file is on %d of %d stores"
                        .formatted(subject.width(), subject.stores()),
                        subject.stores() > subject.width()
                                ? "volsh stripe set %1$s:/ --count -1 && volsh stripe migrate %1$s:/"
                                .formatted(subject.volume()) : "",
                        subject.stores() > subject.width() ? "up to %d times the bandwidth"
                                .formatted(subject.stores() / subject.width()) : ""),
                new Line("metadata", sample.metadataPart(), sample.metadata() > 0 && sample.meanMetadata().compareTo(
                        LATE_NAME) >= 0, "%d requests for names and attributes, %s each".formatted(sample.metadata(),
                        millis(sample.meanMetadata())),
                        Diagnosis.again(subject.volume(), subject.mount(), "--entry-timeout 1m --attribute-timeout 1m"),
                        ""),
                new Line("network", sample.storePart(), late, sample.gets() == 0 ? "nothing was read from the store"
                        : "%d gets, %s each, %s per second".formatted(
                        sample.gets(), millis(sample.meanGet()),
                                new ByteSize(Math.round(sample.gotBytes() / (sample.time().toNanos() / 1e9)))),
                                "volsh status", ""), new Line("locks", locks, locks > MUCH,
                                "waiting for locks of files took %s".formatted(millis(sample.lockTime())),
                                "see lslocks; use one writer per file", ""), new Line("request size", 0, small,
                                sample.reads() == 0 ? "everything was in the kernel's page cache"
                        : "%d reads of %s".formatted(
                        sample.reads(), sample.meanRead()), "read 1MiB at a time, or without --direct-io", ""));
    }

    private static String each(Duration sum, long count) {
        return millis(count == 0 ? Duration.ZERO : sum.dividedBy(count));
    }

    private static String percent(double part) {
        return Math.round(part * 100) + "%";
    }

    private static String millis(Duration time) {
        return String.format(Locale.ROOT, "%.1f ms", time.toNanos() / 1e6);
    }
}
