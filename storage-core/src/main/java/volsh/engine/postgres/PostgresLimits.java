package volsh.engine.postgres;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How many resources of a server an engine uses, and how long it waits for it.
 *
 * @param connections how many transactions and reads run concurrently
 * @param patience how long an operation waits for an unreachable server, and retries after conflicts
 * @param idle after which time an unused connection is closed
 * @param pace of following the log of changes
 */
record PostgresLimits(int connections, Duration patience, Duration idle, LogPace pace) {
    /** The URL option for how long an operation waits for a server that is down or does not respond, in seconds. */
    static final String OUTAGE = "outageTimeout";
    private static final int OUTAGE_SECONDS = 30;
    private static final Pattern SECONDS = Pattern.compile("[1-9][0-9]{0,4}");

    static PostgresLimits standard() {
        return new PostgresLimits(8, Duration.ofSeconds(OUTAGE_SECONDS), Duration.ofMinutes(1), LogPace.standard());
    }

    /** The limits set by the URL. */
    static PostgresLimits of(PostgresUrl url) {
        int seconds = Integer.parseInt(url.options().getOrDefault(OUTAGE, Integer.toString(OUTAGE_SECONDS)));
        return new PostgresLimits(standard().connections, Duration.ofSeconds(seconds), standard().idle,
                standard().pace);
    }

    /** @throws IllegalArgumentException if the timeout is invalid */
    static void requireSense(Map<String, String> options) {
        if (!SECONDS.matcher(options.getOrDefault(OUTAGE, "1")).matches()) {
            throw new IllegalArgumentException(("invalid %s in the URL of a PostgreSQL database: "
                    + "give a number of seconds, 1 to 99999").formatted(OUTAGE));
        }
    }

    PostgresLimits with(LogPace other) {
        return new PostgresLimits(connections, patience, idle, other);
    }
}
