package volsh.bench;

import java.io.IOException;
import java.util.List;

/** What can be measured of a directory. */
public enum Profile {
    SEQWRITE("each thread writes a file from its beginning to its end, and syncs it", SequentialWrite::new),
    SEQREAD("each thread reads a file from its beginning to its end, with the page cache dropped before if that is possible", SequentialRead::new),
    RANDREAD("each thread reads at random places of a file", RandomRead::new),
    QD("random reads by 1, 4, 16, 32 and 64 threads", QueueDepths::new),
    FSYNC("writes, each followed by fsync", Syncs::new),
    DIRECT("sequential reads through the page cache and past it", Direct::new),
    MMAP("random reads by read and by mapped memory", Mapped::new),
    META("makes, stats, opens, lists and removes directories and empty files, as mdtest does", Metadata::new);

    private final String description;
    private final Bench bench;

    Profile(String description, java.util.function.Supplier<Bench> bench) {
        this.description = description;
        this.bench = bench.get();
    }

    public String description() {
        return description;
    }

    /** Runs it; what it wrote is gone afterwards, also after a failure. */
    public List<Measurement> run(Terms terms) throws IOException {
        try (var place = Playground.below(terms.directory())) {
            return bench.run(terms, place);
        }
    }
}
