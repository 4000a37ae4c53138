package volsh.mount;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import volsh.unit.ByteSize;
import volsh.unit.Span;

/**
 * What would be lost with this host: bytes that are only in its memory or its journals, changes whose metadata is not
 * in the store, and the age of the oldest.
 */
public record AtRisk(long bytes, long commits, Optional<Instant> oldest) {
    public static final AtRisk NOTHING = new AtRisk(0, 0, Optional.empty());

    /** For a mount that does not answer: only its process knows what it holds. */
    public static final AtRisk UNKNOWN = new AtRisk(-1, 0, Optional.empty());

    public boolean isKnown() {
        return bytes >= 0;
    }

    public static AtRisk of(MountStats stats) {
        return new AtRisk(stats.bufferedBytes() + stats.staged().bytes(),
                stats.unshipped().map(MountStats.Unshipped::commits).orElse(0L), Stream.of(stats.buffered().oldest(),
                stats.staged().oldest(), stats.unshipped().flatMap(MountStats.Unshipped::oldest))
                        .flatMap(Optional::stream).min(Instant::compareTo));
    }

    public Duration age(Instant now) {
        return oldest.map(since -> Duration.between(since, now)).filter(age -> !age.isNegative()).orElse(Duration.ZERO);
    }

    /** As text: {@code nothing}, or {@code 12MiB, 3 commits, for 8s}. */
    public String line(Instant now) {
        if (!isKnown()) {
            return "unknown";
        }
        if (bytes == 0 && commits == 0) {
            return "nothing";
        }
        var words = "%s, %d commit%s".formatted(new ByteSize(bytes), commits, commits == 1 ? "" : "s");
        return oldest.isEmpty() ? words : words + ", for " + new Span(Duration.ofSeconds(age(now).toSeconds()));
    }
}
