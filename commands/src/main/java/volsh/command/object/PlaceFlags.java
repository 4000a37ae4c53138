package volsh.command.object;

import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.block.RetryPolicy;
import volsh.bucket.OpenBuckets;
import volsh.command.failure.CommandFailure;
import volsh.command.store.BucketFlags;
import volsh.fs.ShellWord;
import volsh.unit.Span;

/** The options that say how a command reaches buckets. */
public final class PlaceFlags {
    private static final int ATTEMPTS = 100;
    private static final int SHORTEST_MILLIS = 10;

    @Mixin
    private BucketFlags bucket = new BucketFlags();

    @Option(names = "--timeout", paramLabel = "TIME",
            description = "Give up on a request to a bucket after this time, with all its retries (default: 1m). While"
                    + " bytes are moving, a request may take longer.")
    private @Nullable Span timeout;

    /** Refuses these options where no bucket is meant. */
    public void requireNone() {
        bucket.requireNone();
        if (timeout != null) {
            throw CommandFailure.usage("--timeout needs an s3:// store");
        }
    }

    /** The given options, by their names in a URL. */
    SortedMap<String, String> given() {
        var given = new TreeMap<>(bucket.given());
        if (timeout != null) {
            given.put("timeout", new Span(ofOneRequest(timeout.duration())).toString());
        }
        return given;
    }

    /** The options as they were given, to type them again. */
    public String words() {
        var words = new StringBuilder();
        bucket.given().forEach((name, value) -> words.append(" --").append(name)
                .append(value.equals("true") ? "" : " " + ShellWord.of(value)));
        return words + (timeout == null ? "" : " --timeout " + timeout);
    }

    /** The last attempt begins in the first half. */
    private static Duration ofOneRequest(Duration time) {
        return Duration.ofMillis(Math.max(time.toMillis() / 2, SHORTEST_MILLIS));
    }

    /** How long requests are repeated. */
    RetryPolicy retries() {
        return Optional.ofNullable(timeout).map(Span::duration).map(PlaceFlags::within).orElse(OpenBuckets.PATIENCE);
    }

    private static RetryPolicy within(Duration time) {
        var first = OpenBuckets.PATIENCE.first();
        var longest = OpenBuckets.PATIENCE.longest();
        var rest = time.minus(ofOneRequest(time));
        return new RetryPolicy(ATTEMPTS, first, longest.compareTo(time) < 0 ? longest : time.plus(first),
                rest.isNegative() ? Duration.ZERO : rest);
    }
}
