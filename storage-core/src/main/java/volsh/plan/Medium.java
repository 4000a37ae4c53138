package volsh.plan;

import java.util.List;
import volsh.unit.ByteSize;
import volsh.unit.Rate;

/**
 * A kind of storage with typical figures (not measured here), and whether it is sufficient.
 *
 * @param requests reads of small files per second
 * @param size     its capacity
 * @param stored   what it would store
 */
public record Medium(String kind, Rate rate, long requests, ByteSize size, ByteSize stored, boolean shared,
        boolean enough, String why) {
    private static final List<Medium> KINDS = List.of(
            kind("local-nvme", "7GB/s", 700_000, "8TB", false),
            kind("nfs", "1GB/s", 10_000, "100TB", true),
            kind("lustre", "100GB/s", 100_000, "10PB", true),
            kind("object-store", "10GB/s", 5_500, "1000PB", true),
            kind("object-store+cache", "7GB/s", 100_000, "1000PB", true));

    private static Medium kind(String name, String rate, long requests, String size, boolean shared) {
        return new Medium(name, Rate.of(rate), requests, ByteSize.of(size), new ByteSize(0), shared, false, "");
    }

    /** Each kind against the demand: {@code nodes} that together read {@code rate} and {@code requests}. */
    public static List<Medium> of(Rate rate, double requests, ByteSize dataset, long nodes) {
        Figures.positive(nodes, "the number of nodes");
        return KINDS.stream().map(kind -> kind.against(rate, requests, dataset, nodes)).toList();
    }

    /** A local disk serves one node's part, but must hold the whole dataset. */
    private Medium against(Rate wanted, double reads, ByteSize dataset, long nodes) {
        double part = kind.equals("local-nvme") || kind.endsWith("+cache") ? nodes : 1;
        String lacks = wanted.bytesPerSecond() / part > rate.bytesPerSecond() ? "too slow: " + rate
                : reads / part > requests ? "too few requests: %s/s".formatted(Figures.count(requests))
                : dataset.compareTo(size) > 0 ? "too small: " + size : "";
        String good = shared ? "visible to every node" : "each node needs its own copy";
        return new Medium(kind, rate, requests, size, dataset, shared, lacks.isEmpty(), lacks.isEmpty() ? good : lacks);
    }
}
