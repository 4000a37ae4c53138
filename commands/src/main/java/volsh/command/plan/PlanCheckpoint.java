package volsh.command.plan;

import java.time.Duration;
import java.util.Optional;
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

@Command(name = "checkpoint", description = {"Compute how large checkpoints are, how often to take one, and what they cost.",
        "The time that a checkpoint stops the job is --stall, or the size divided by --bandwidth. With the mean time between failures"
                + " (--mtbf) the interval is the one after Young and Daly that wastes least; --every asks for the cost of another one."})
@Examples({"volsh plan checkpoint --params 70e9 --optimizer adam --bandwidth 10GB/s --mtbf 6h --gpus 1024 --usd 3",
        "volsh plan checkpoint --stall 30s --every 1h --gpus 512 --usd 3"})
final class PlanCheckpoint implements Action<PlanCheckpoint.Answer> {
    private static final double MANY_NANOS = 1e9;

    @Option(names = "--params", paramLabel = "N", description = "Parameters of the model, such as 70e9.")
    private Double parameters;

    @Option(names = "--dtype", paramLabel = "TYPE", defaultValue = "bf16",
            description = "What they are made of: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Element element;

    @Option(names = "--optimizer", paramLabel = "NAME", defaultValue = "adam",
            description = "Whose state is saved, too: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Optimizer optimizer;

    @Option(names = "--size", paramLabel = "SIZE", description = "A checkpoint, if its size is known.")
    private ByteSize size;

    @Option(names = "--bandwidth", paramLabel = "RATE", description = "What storage takes while one is written.")
    private Rate bandwidth;

    @Option(names = "--stall", paramLabel = "TIME", description = "How long one stops the job, if that is known.")
    private Span stall;

    @Option(names = "--mtbf", paramLabel = "TIME", description = "The mean time between failures of the job.")
    private Span meanTime;

    @Option(names = "--every", paramLabel = "TIME", description = "Take one this often.")
    private Span every;

    @Option(names = "--gpus", paramLabel = "N", defaultValue = "1", description = "GPUs that wait for it (default: ${DEFAULT-VALUE}).")
    private long gpus;

    @Option(names = "--usd", paramLabel = "PRICE", defaultValue = "0", description = "What one costs an hour (default: ${DEFAULT-VALUE}).")
    private double usd;

    /** What is known of checkpoints like these. {@code waste}: time in checkpoints and in work done again. */
    record Answer(Optional<ByteSize> size, Duration stall, Optional<Duration> young, Optional<Duration> daly, Optional<Percent> waste,
            Duration every, Percent overhead, double gpuHours, double usd, double usdPerHour, double usdPerWeek, String how) {}

    @Override
    public Answer run(Session session) {
        var state = parameters == null ? Optional.<ModelState>empty() : Optional.of(ModelState.of(parameters, element, optimizer));
        var bytes = state.map(ModelState::total).or(() -> Optional.ofNullable(size));
        Duration stops = stops(bytes);
        var interval = Optional.ofNullable(meanTime).map(time -> CheckpointInterval.of(stops, time.duration()));
        Duration chosen = every != null ? every.duration() : interval.map(CheckpointInterval::daly)
                .orElseThrow(() -> CommandFailure.usage("say how often (--every), or how often the job fails (--mtbf)"));
        var cost = CheckpointCost.of(gpus, stops, chosen, usd);
        String how = state.map(model -> model.how() + "; ").orElse("") + interval.map(found -> found.how() + "; ").orElse("") + cost.how();
        return new Answer(bytes, stops, interval.map(CheckpointInterval::young), interval.map(CheckpointInterval::daly),
                interval.map(found -> percent(found.waste())), chosen, percent(cost.overhead()), cost.gpuHours(), cost.usd(),
                cost.usdPerHour(), cost.usdPerWeek(), how);
    }

    private Duration stops(Optional<ByteSize> bytes) {
        if (stall != null) {
            return stall.duration();
        }
        if (bytes.isEmpty() || bandwidth == null) {
            throw CommandFailure.usage("say how long one stops the job (--stall), or how large it is (--size, --params) and how fast it is written (--bandwidth)");
        }
        return Duration.ofNanos(Math.round(bytes.get().bytes() * MANY_NANOS / bandwidth.bytesPerSecond()));
    }

    private static Percent percent(double part) {
        return new Percent(Math.round(Math.min(1, part) * 10_000) / 100.0);
    }
}
