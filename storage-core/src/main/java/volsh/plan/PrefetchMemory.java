package volsh.plan;

import java.util.List;
import java.util.stream.Collectors;
import volsh.unit.ByteSize;

/** The memory that a DataLoader's workers fill with prefetched batches. */
public record PrefetchMemory(ByteSize batch, ByteSize worker, ByteSize total, String how) {

    /** {@code factor} batches of {@code samples} for each worker; a sample is a tensor of this shape. */
    public static PrefetchMemory of(long workers, long factor, long samples, List<Long> shape, Element element) {
        Figures.positive(workers, "the number of workers");
        Figures.positive(factor, "the prefetch factor");
        Figures.positive(samples, "a batch");
        shape.forEach(size -> Figures.positive(size, "each size of a shape"));
        long batch = Figures.product(samples, element.bytes());
        for (long size : shape) {
            batch = Figures.product(batch, size);
        }
        long worker = Figures.product(batch, factor);
        long total = Figures.product(worker, workers);
        return new PrefetchMemory(new ByteSize(batch), new ByteSize(worker), new ByteSize(total),
                "%d batches × %s × %s × %d B = %s per worker, × %d workers = %s".formatted(factor,
                        Figures.count(samples), shape.stream().map(String::valueOf).collect(Collectors.joining("×")),
                        element.bytes(), Figures.size(worker), workers, Figures.size(total)));
    }
}
