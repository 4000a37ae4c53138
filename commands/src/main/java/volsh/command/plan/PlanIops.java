package volsh.command.plan;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.plan.RequestRate;
import volsh.unit.ByteSize;

@Command(name = "iops", description = {"Compute how many requests a job makes per second.",
        "With a file per sample, or with samples packed in shards (--shard), which are read in large pieces and need"
                + " few names."})
@Examples({"volsh plan iops --preset resnet50", "volsh plan iops --preset resnet50 --shard 256MiB"})
final class PlanIops implements Action<RequestRate> {
    @Mixin
    private JobOptions job;

    @Option(names = "--shard", paramLabel = "SIZE", description = "Pack samples in files of this size.")
    private @Nullable ByteSize shard;

    @Option(names = "--read", paramLabel = "SIZE", defaultValue = "1MiB",
            description = "Set the largest single read (default: ${DEFAULT-VALUE}).")
    private ByteSize read;

    @Override
    public RequestRate run(Session session) {
        return RequestRate.of(job.load(), Optional.ofNullable(shard), read);
    }
}
