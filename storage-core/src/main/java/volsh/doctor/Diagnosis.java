package volsh.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import volsh.doctor.Bottleneck.Culprit;
import volsh.fs.ShellWord;
import volsh.system.DiskActivity.Verdict;
import volsh.unit.ByteSize;

/**
 * Finds what makes a job wait, from an {@link ActivitySample}: each rule checks the numbers for one cause. The heaviest
 * finding is the narrowest stage; without any, storage is not the bottleneck.
 */
public final class Diagnosis {
    private static final Duration LATE_GET = Duration.ofMillis(20);
    private static final Duration LATE_NAME = Duration.ofMillis(2);
    private static final ByteSize TINY_FILE = new ByteSize(64 * ByteSize.KIB);
    private static final ByteSize TINY_READ = new ByteSize(16 * ByteSize.KIB);
    private static final double MUCH = 0.4;
    private static final double COLD = 0.7;
    private static final int FEW = 20;
    private static final int MANY = 100;

    private final ActivitySample sample;
    private final Subject subject;
    private final List<Bottleneck> findings = new ArrayList<>();

    private Diagnosis(ActivitySample sample, Subject subject) {
        this.sample = sample;
        this.subject = subject;
    }

    /** The heaviest first. */
    public static List<Bottleneck> of(ActivitySample sample, Subject subject) {
        return new Diagnosis(sample, subject).findings();
    }

    private List<Bottleneck> findings() {
        if (sample.metadata() + sample.reads() + sample.writes() < FEW) {
            long asked = sample.metadata() + sample.reads() + sample.writes();
            add(Culprit.IDLE, 1, "%d %s in %s".formatted(asked, asked == 1 ? "request" : "requests",
                    seconds(sample.time())), "start the job, then run this again", "");
            return findings;
        }
        store();
        names();
        reads();
        machine();
        workers();
        findings.sort(Comparator.comparingDouble(Bottleneck::weight).reversed());
        return findings;
    }

    private void store() {
        double part = sample.storePart();
        boolean late = sample.meanGet().compareTo(LATE_GET) >= 0 && sample.gets() >= FEW / 4;
        if (late && part >= MUCH / 2) {
            add(Culprit.SLOW_STORE, part, "%d gets of %s each, %s of the time of requests".formatted(sample.gets(),
                    millis(sample.meanGet()), percent(part)),
                    warm(), "reads from the cache do not wait for the store");
        }
        if (late && part >= MUCH / 2 && subject.stores() > subject.width()) {
            add(Culprit.ONE_STRIPE, part + 0.01, "files are on %d of %d stores, a get takes %s"
                    .formatted(subject.width(), subject.stores(), millis(sample.meanGet())),
                    "volsh stripe set %1$s:/ --count -1 && volsh stripe migrate %1$s:/".formatted(subject.volume()),
                    "up to %d times the bandwidth".formatted(subject.stores() / subject.width()));
        }
        if (sample.hitRatio() < COLD && sample.misses() >= FEW && part >= MUCH / 4) {
            boolean full = sample.evictions() > sample.misses() / 4 && sample.cacheBytes() > sample.cacheBudget() / 2;
            double weight = part * (1 - sample.hitRatio()) * (late ? 0.9 : 1);
            add(full ? Culprit.SMALL_CACHE : Culprit.COLD_CACHE, weight,
                    "%s of %d frames were found in the cache, which holds %s of %s"
                    .formatted(
                            percent(sample.hitRatio()), sample.hits() + sample.misses(),
                            new ByteSize(sample.cacheBytes()), new ByteSize(sample.cacheBudget())), full
                            ? "volsh cache epochs %s --sizes".formatted(ShellWord.of(subject.mount()))
                            : warm(), "%sup to %s less waiting".formatted(
                            full ? "shows what a larger cache would hit; " : "",
                            percent(part * (1 - sample.hitRatio()))));
        }
        if (sample.stagedAfter() > sample.stagedBefore() + sample.writtenBytes() / 2
                && sample.writtenBytes() > ByteSize.MIB) {
            add(Culprit.BACKLOG, MUCH, "%s are waiting to be stored, %s more than before".formatted(
                            new ByteSize(sample.stagedAfter()),
                            new ByteSize(sample.stagedAfter() - sample.stagedBefore())),
                            "fewer or smaller checkpoints: volsh plan checkpoint --help", "");
        }
    }

    private String warm() {
        return warm(sample, subject.volume(), subject.mount());
    }

    /** How to fill the cache of this mount: without a cache directory there is nothing to fill. */
    public static String warm(ActivitySample sample, String volume, String mount) {
        boolean reads = sample.cacheDirectories() > 0 && Subject.isBucket(volume);
        return reads ? "find %s -type f -exec cat {} + > /dev/null".formatted(ShellWord.of(mount))
                : sample.cacheDirectories() > 0 ? "volsh cache warm " + ShellWord.of(mount)
                : again(volume, mount, "--cache-dir ./cache");
    }

    /** Mounts with other options. */
    public static String again(String volume, String mount, String options) {
        return "volsh umount %1$s && volsh mount %2$s %1$s %3$s".formatted(ShellWord.of(mount), volume, options);
    }

    private void names() {
        double part = sample.metadataPart();
        if (sample.metadata() >= FEW && sample.meanMetadata().compareTo(LATE_NAME) >= 0 && part >= MUCH) {
            add(Culprit.SLOW_METADATA, part, "%d metadata requests of %s each, %s of the time of requests".formatted(
                            sample.metadata(), millis(sample.meanMetadata()), percent(part)),
                    again(subject.volume(), subject.mount(), subject.isBucket() ? "--ttl 10m"
                            : "--entry-timeout 1m --attribute-timeout 1m"),
                    "repeated lookups cost nothing");
        } else if (sample.opens() >= FEW && sample.perOpen().compareTo(TINY_FILE) <= 0 && part >= MUCH) {
            add(Culprit.TINY_FILES, part, "%d files of %s on average, %s of the time was spent opening them".formatted(
                            sample.opens(), sample.perOpen(), percent(part)),
                    "pack them: tar, WebDataset or record files of 100 to 500 MB", String.format(Locale.ROOT,
                            "up to %.0f times the" + " samples a second", 1 / (1 - Math.min(0.9, part))));
        }
    }

    private void reads() {
        long perOpen = sample.reads() / Math.max(1, sample.opens());
        if (sample.reads() >= MANY && perOpen >= 4 && sample.meanRead().compareTo(TINY_READ) <= 0) {
            double part = 1 - sample.metadataPart() - sample.storePart();
            add(Culprit.TINY_READS, Math.max(0.1, part), "%d reads of %s each".formatted(sample.reads(),
                    sample.meanRead()), "read 1MiB at a time, or through the page cache (no --direct-io)",
                    "a request costs the same for 4KiB as for 256KiB");
        }
    }

    private void machine() {
        for (var disk : sample.disks()) {
            var verdict = disk.verdict();
            if (verdict == Verdict.SATURATED || verdict == Verdict.SMALL_READS || verdict == Verdict.WRITES) {
                add(Culprit.BUSY_DISK, disk.busy(), String.format(Locale.ROOT,
                        "%s was busy for %s of the time, a read took %.1f ms, a write %.1f ms",
                        disk.device(), percent(disk.busy()), disk.readAwaitMillis(), disk.writeAwaitMillis()),
                        "volsh iostat --explain", verdict.words());
            }
        }
        sample.pressure().ifPresent(pressure -> {
            if (pressure.memory() > 0.1) {
                add(Culprit.SHORT_MEMORY, pressure.memory(), "programs waited for memory in %s of the last 10 s"
                        .formatted(percent(pressure.memory())),
                        "fewer workers or a smaller --cache-memory: volsh plan prefetch", "");
            }
            if (pressure.cpu() > 0.7) {
                add(Culprit.BUSY_CPU, pressure.cpu() / 2, "programs waited for the CPU in %s of the last 10 s"
                        .formatted(percent(pressure.cpu())),
                        "decode elsewhere, or fewer workers: volsh bench run loader", "");
            }
        });
    }

    /** The mount is idle at times: its readers do something else meanwhile. */
    private void workers() {
        double idle = 1 - sample.underWay();
        if (idle > 0.5 && findings.stream().noneMatch(found -> found.weight() > idle)) {
            add(Culprit.FEW_WORKERS, idle, "no request was in flight in %s of the time".formatted(percent(idle)),
                    "volsh bench run loader --on " + ShellWord.of(subject.mount()),
                    String.format(Locale.ROOT, "storage could "
                            + "deliver up to %.0f times" + " as much", Math.min(100, 1 / sample.underWay())));
        }
    }

    private void add(Culprit culprit, double weight, String evidence, String fix, String gain) {
        findings.add(new Bottleneck(culprit, Math.min(1, weight), evidence, fix, gain));
    }

    private static String percent(double part) {
        return Math.round(part * 100) + "%";
    }

    private static String millis(Duration time) {
        return String.format(Locale.ROOT, "%.1f ms", time.toNanos() / 1e6);
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f s", time.toNanos() / 1e9);
    }
}
