package volsh.command.plan;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;
import volsh.plan.JobLoad;
import volsh.plan.Workload;
import volsh.unit.ByteSize;
import volsh.unit.Span;

/** The options that describe a job; explicit ones override those of a preset. */
final class JobOptions {
    @Option(names = "--preset", paramLabel = "NAME",
            description = "Start with the figures of a known job: ${COMPLETION-CANDIDATES}.")
    private @Nullable Workload preset;

    @Option(names = "--gpus", paramLabel = "N", description = "Set the number of GPUs.")
    private @Nullable Long gpus;

    @Option(names = "--batch", paramLabel = "N", description = "Set the samples (or tokens) per GPU and step.")
    private @Nullable Long batch;

    @Option(names = "--sample", paramLabel = "SIZE", description = "Set the stored size of a sample; 2B for a token.")
    private @Nullable ByteSize sample;

    @Option(names = "--step", paramLabel = "TIME", description = "Set the time per step.")
    private @Nullable Span step;

    JobLoad load() {
        if (preset != null) {
            return changed(preset.load());
        }
        if (gpus == null || batch == null || sample == null || step == null) {
            throw CommandFailure.usage("missing options: give --gpus, --batch, --sample and --step, or --preset");
        }
        return new JobLoad(gpus, batch, sample, step.duration());
    }

    private JobLoad changed(JobLoad usual) {
        return new JobLoad(gpus == null ? usual.gpus() : gpus, batch == null ? usual.batch() : batch,
                sample == null ? usual.sample() : sample, step == null ? usual.step() : step.duration());
    }
}
