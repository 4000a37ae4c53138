package volsh.command.checkpoint;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Selects one checkpoint of a run: the last, or that of a step. */
final class Which {
    @Parameters(paramLabel = "VOLUME", description = "Volume of the run.")
    private String volume;

    @Option(names = "--run", paramLabel = "RUN", required = true, description = "Select the training run.")
    private String run;

    @Option(names = "--step", paramLabel = "N",
            description = "Select the step (default: the last saved that is valid).")
    private @Nullable Long step;

    String volume() {
        return volume;
    }

    String run() {
        return run;
    }

    @Nullable Long step() {
        return step;
    }
}
