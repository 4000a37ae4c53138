package volsh.bench;

import java.io.IOException;
import java.util.List;

/** The kinds of measurements of a directory. */
public enum BenchProfile {
    SEQWRITE("each thread writes a file sequentially, then syncs it", true, SequentialWrite::new),
    SEQREAD("each thread reads a file sequentially, after dropping it from the page cache", false, SequentialRead::new),
    RANDREAD("each thread reads at random offsets of a file", false, RandomRead::new),
    QD("random reads by 1, 4, 16, 32 and 64 threads", false, QueueDepths::new),
    FSYNC("writes, each followed by an fsync", true, Syncs::new),
    DIRECT("sequential reads through the page cache and bypassing it", false, Direct::new),
    MMAP("random reads with read(2) and with mapped memory", false, Mapped::new),
    META("creates, stats, opens, lists and removes directories and empty files, like mdtest", true, Metadata::new);

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

    /** Whether it measures writes, and needs a directory; others can also read an existing file. */
    public boolean writes() {
        return writes;
    }

    /** Runs it and removes what it wrote, also after a failure. */
    public List<Measurement> run(Terms terms) throws IOException {
        try (var place = Playground.on(terms.directory())) {
            return bench.run(terms, place);
        }
    }
}
