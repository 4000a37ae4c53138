package volsh.checkpoint;

import java.nio.file.Path;
import java.util.Map;

/**
 * What is to be saved as which step of which run.
 *
 * @param metrics what the job says of it, such as {@code loss}
 * @param labels  what else is to be remembered with it
 * @param verify  whether it is read back and compared before it appears
 */
public record SaveRequest(String run, long step, Path source, Map<String, Double> metrics, Map<String, String> labels, boolean verify) {
    private static final long LAST = 999_999_999_999L;

    public SaveRequest {
        Checkpoints.checkRun(run);
        if (step < 0 || step > LAST) {
            throw new IllegalArgumentException("a step is 0 to %d: %d".formatted(LAST, step));
        }
        metrics = Map.copyOf(metrics);
        labels = Map.copyOf(labels);
    }

    public SaveRequest(String run, long step, Path source) {
        this(run, step, source, Map.of(), Map.of(), false);
    }
}
