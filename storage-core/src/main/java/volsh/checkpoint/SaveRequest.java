package volsh.checkpoint;

import java.nio.file.Path;
import java.util.Map;

/**
 * A request to save a directory as a step of a run.
 *
 * @param metrics reported by the job, such as {@code loss}
 * @param labels  other properties to record
 * @param verify  whether it is read back and compared before it appears
 */
public record SaveRequest(String run, long step, Path source, Map<String, Double> metrics, Map<String, String> labels,
        boolean verify) {
    private static final long LAST = 999_999_999_999L;

    public SaveRequest {
        Checkpoints.checkRun(run);
        if (step < 0 || step > LAST) {
            throw new IllegalArgumentException("a step must be 0 to %d, not %d".formatted(LAST, step));
        }
        metrics = Map.copyOf(metrics);
        labels = Map.copyOf(labels);
    }

    public SaveRequest(String run, long step, Path source) {
        this(run, step, source, Map.of(), Map.of(), false);
    }
}
