package volsh.bench;

import java.io.IOException;
import java.util.List;

/** What can be measured of a directory. */
public enum BenchProfile {
    SEQWRITE("each thread writes a file from its beginning to its end, and syncs it", true, SequentialWrite::new),
    SEQREAD("each thread reads a file from its beginning to its end, forgotten by the page cache before", false, SequentialRead::new),
    RANDREAD("each thread reads at random places of a file", false, RandomRead::new),
    QD("random reads by 1, 4, 16, 32 and 64 threads", false, QueueDepths::new),
    FSYNC("writes, each followed by fsync", true, Syncs::new),
    DIRECT("sequential reads through the page cache and past it", false, Direct::new),
    MMAP("random reads by read and by mapped memory", false, Mapped::new),
    META("makes, stats, opens, lists and removes directories and empty files, as mdtest does", true, Metadata::new);

    private final String description;
    private final boolean writes;
    private final Bench bench;

    BenchProfile(String description, boolean writes, java.util.function.Supplier<Bench> bench) {
        this.description = description;
        this.writes = writes;
        this.bench = bench.get();
    }

    public String description() {
        return description;
    }

    /** Whether it measures writes, and needs a directory; others can also read a file that is there. */
    public boolean writes() {
        return writes;
    }

    /** Runs it; what it wrote is gone afterwards, also after a failure. */
    public List<Measurement> run(Terms terms) throws IOException {
        try (var place = Playground.on(terms.directory())) {
            return bench.run(terms, place);
        }
    }
}
