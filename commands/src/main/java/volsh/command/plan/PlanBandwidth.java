package volsh.command.plan;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.plan.BandwidthNeed;
import volsh.unit.Rate;

@Command(name = "bandwidth", description = {"Compute how fast storage must deliver so that no GPU waits.",
        "The rate is GPUs × batch × sample / step. With --samples, also shows how long an epoch takes; with"
                + " --delivers, the share of time in which GPUs are busy at that rate."})
@Examples({"volsh plan bandwidth --gpus 512 --batch 4 --sample 8KiB --step 2s",
        "volsh plan bandwidth --preset resnet50 --delivers 400MB/s", "volsh plan bandwidth --preset llm7b -o json"})
final class PlanBandwidth implements Action<BandwidthNeed> {
    @Mixin
    private JobOptions job;

    @Option(names = "--samples", paramLabel = "N", description = "Set the samples per epoch.")
    private @Nullable Long samples;

    @Option(names = "--delivers", paramLabel = "RATE", description = "Set the measured rate of storage.")
    private @Nullable Rate delivered;

    @Override
    public BandwidthNeed run(Session session) {
        return BandwidthNeed.of(job.load(), Optional.ofNullable(samples), Optional.ofNullable(delivered));
    }
}
