package volsh.command.plan;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.plan.CheckpointCost;
import volsh.plan.CheckpointInterval;
import volsh.plan.Element;
import volsh.plan.ModelState;
import volsh.plan.ModelState.Optimizer;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

@Command(name = "checkpoint", description = {"Compute the size, interval and cost of checkpoints.",
        "A checkpoint stops the job for --stall, or for its size divided by --bandwidth. With the mean time between"
                + " failures (--mtbf) the interval is the one after Young and Daly that wastes least; --every shows"
                + " the cost of another interval."})
@Examples({"volsh plan checkpoint --params 70e9 --optimizer adam --bandwidth 10GB/s --mtbf 6h --gpus 1024 --usd 3",
        "volsh plan checkpoint --stall 30s --every 1h --gpus 512 --usd 3"})
final class PlanCheckpoint implements Action<PlanCheckpoint.Answer> {
    private static final double MANY_NANOS = 1e9;

    @Option(names = "--params", paramLabel = "N", description = "Set the model's parameters, such as 70e9.")
    private @Nullable Double parameters;

    @Option(names = "--dtype", paramLabel = "TYPE", defaultValue = "bf16",
            description = "Set their type: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Element element;

    @Option(names = "--optimizer", paramLabel = "NAME", defaultValue = "adam",
            description = "Add the state of this optimizer: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Optimizer optimizer;

    @Option(names = "--size", paramLabel = "SIZE", description = "Set the checkpoint size, if known.")
    private @Nullable ByteSize size;

    @Option(names = "--bandwidth", paramLabel = "RATE", description = "Set the write rate of storage.")
    private @Nullable Rate bandwidth;

    @Option(names = "--stall", paramLabel = "TIME", description = "Set how long a checkpoint stops the job, if known.")
    private @Nullable Span stall;

    @Option(names = "--mtbf", paramLabel = "TIME", description = "Set the mean time between failures of the job.")
    private @Nullable Span meanTime;

    @Option(names = "--every", paramLabel = "TIME", description = "Take a checkpoint this often.")
    private @Nullable Span every;

    @Option(names = "--gpus", paramLabel = "N", defaultValue = "1",
            description = "Set the GPUs that wait (default: ${DEFAULT-VALUE}).")
    private long gpus;

    @Option(names = "--usd", paramLabel = "PRICE", defaultValue = "0",
            description = "Set the price of a GPU hour (default: ${DEFAULT-VALUE}).")
    private double usd;

    /** The computed numbers. {@code waste}: time in checkpoints and in repeated work. */
    record Answer(Optional<ByteSize> size, Duration stall, Optional<Duration> young, Optional<Duration> daly,
            Optional<Percent> waste, Duration every, Percent overhead, double gpuHours, double usd, double usdPerHour,
            double usdPerWeek, String how) {}

    @Override
    public Answer run(Session session) {
        var state = parameters == null ? Optional.<ModelState>empty()
                : Optional.of(ModelState.of(parameters, element, optimizer));
        var bytes = state.map(ModelState::total).or(() -> Optional.ofNullable(size));
        Duration stops = stops(bytes);
        var interval = Optional.ofNullable(meanTime).map(time -> CheckpointInterval.of(stops, time.duration()));
        Duration chosen = every != null ? every.duration() : interval.map(CheckpointInterval::daly)
                .orElseThrow(() -> CommandFailure.usage("missing interval: give --every or --mtbf"));
        var cost = CheckpointCost.of(gpus, stops, chosen, usd);
        String how = state.map(model -> model.how() + "; ").orElse("")
                + interval.map(found -> found.how() + "; ").orElse("") + cost.how();
        return new Answer(bytes, stops, interval.map(CheckpointInterval::young), interval.map(CheckpointInterval::daly),
                interval.map(found -> percent(found.waste())), chosen, percent(cost.overhead()), cost.gpuHours(),
                cost.usd(), cost.usdPerHour(), cost.usdPerWeek(), how);
    }

    private Duration stops(Optional<ByteSize> bytes) {
        if (stall != null) {
            return stall.duration();
        }
        if (bytes.isEmpty() || bandwidth == null) {
            throw CommandFailure.usage(
                    "missing cost of a checkpoint: give --stall, or --bandwidth with --size or --params");
        }
        return Duration.ofNanos(Math.round(bytes.get().bytes() * MANY_NANOS / bandwidth.bytesPerSecond()));
    }

    private static Percent percent(double part) {
        return new Percent(Math.round(Math.min(1, part) * 10_000) / 100.0);
    }
}
