package volsh.block;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

/**
 * Simulated limits of a store, from the options of a URL: {@code latency}, {@code jitter}, {@code
 * bandwidth}, {@code concurrency}, {@code errors} and the {@code seed} of the errors.
 */
public record StoreOptions(
        Span latency,
        Span jitter,
        Optional<Rate> bandwidth,
        OptionalInt concurrency,
        Percent errors,
        OptionalLong seed) {
    /** The names of the options, as they are written. */
    public static final List<String> NAMES = List.of("bandwidth", "concurrency", "errors", "jitter", "latency", "seed");

    private static final Span NO_TIME = new Span(Duration.ZERO);
    private static final Rate UNLIMITED = new Rate(Long.MAX_VALUE);

    /**
     * Parses the options named in {@link #NAMES}.
     *
     * @throws IllegalArgumentException naming the option and a valid example
     */
    public static StoreOptions of(Map<String, String> options) {
        return new StoreOptions(
                read(options, "latency", Span::of).orElse(NO_TIME),
                read(options, "jitter", Span::of).orElse(NO_TIME),
                read(options, "bandwidth", Rate::of),
                read(options, "concurrency", StoreOptions::count).map(OptionalInt::of).orElse(OptionalInt.empty()),
                read(options, "errors", Percent::of).orElse(new Percent(0)),
                read(options, "seed", StoreOptions::number).map(OptionalLong::of).orElse(OptionalLong.empty()));
    }

    private static <T> Optional<T> read(Map<String, String> options, String name, Function<String, T> parse) {
        try {
            return Optional.ofNullable(options.get(name)).map(parse);
        } catch (IllegalArgumentException refused) {
            throw new IllegalArgumentException("option %s: %s".formatted(name, refused.getMessage()), refused);
        }
    }

    private static int count(String text) {
        if (!text.matches("[1-9]\\d{0,5}")) {
            throw new IllegalArgumentException("invalid number of calls: '%s' (try 16)".formatted(text));
        }
        return Integer.parseInt(text);
    }

    private static long number(String text) {
        if (!text.matches("\\d{1,18}")) {
            throw new IllegalArgumentException("invalid seed: '%s' (try 42)".formatted(text));
        }
        return Long.parseLong(text);
    }

    /** Wraps the store: errors outermost, then the limits, then the latency. Options that are not set cost nothing. */
    public BlockStore wrap(BlockStore store) {
        return wrap(store, Pause.REAL);
    }

    BlockStore wrap(BlockStore store, Pause pause) {
        BlockStore wrapped = store;
        if (!latency.duration().isZero() || !jitter.duration().isZero()) {
            wrapped = new Slow(wrapped, latency.duration(), jitter.duration(), pause);
        }
        if (bandwidth.isPresent() || concurrency.isPresent()) {
            wrapped = new Throttled(wrapped, concurrency.orElse(Integer.MAX_VALUE), bandwidth.orElse(UNLIMITED), pause);
        }
        if (errors.value() > 0) {
            wrapped = new Faulty(wrapped, new Faults(errors, seed.orElse(System.nanoTime())));
        }
        return wrapped;
    }
}
