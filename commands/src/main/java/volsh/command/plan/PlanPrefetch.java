package volsh.command.plan;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.plan.Element;
import volsh.plan.PrefetchMemory;

@Command(name = "prefetch", description = "Compute the memory that DataLoader workers fill with prefetched batches.")
@Examples("volsh plan prefetch --workers 8 --factor 4 --batch 256 --shape 3x224x224 --dtype f32")
final class PlanPrefetch implements Action<PrefetchMemory> {
    @Option(names = "--workers", paramLabel = "N", required = true, description = "Set the workers (num_workers).")
    private long workers;

    @Option(names = "--factor", paramLabel = "N", defaultValue = "2",
            description = "Set the batches each worker prefetches (prefetch_factor; default: ${DEFAULT-VALUE}).")
    private long factor;

    @Option(names = "--batch", paramLabel = "N", required = true, description = "Set the samples per batch.")
    private long batch;

    @Option(names = "--shape", paramLabel = "AxBxC", required = true,
            description = "Set the shape of a sample, such as 3x224x224.")
    private String shape;

    @Option(names = "--dtype", paramLabel = "TYPE", defaultValue = "f32",
            description = "Set its type: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Element element;

    @Override
    public PrefetchMemory run(Session session) {
        return PrefetchMemory.of(workers, factor, batch, sizes(), element);
    }

    private List<Long> sizes() {
        var sizes = new ArrayList<Long>();
        for (String size : shape.split("x", -1)) {
            if (!size.matches("\\d{1,12}")) {
                throw CommandFailure.usage("'%s' is not a shape (try 3x224x224)".formatted(shape));
            }
            sizes.add(Long.valueOf(size));
        }
        return sizes;
    }
}
