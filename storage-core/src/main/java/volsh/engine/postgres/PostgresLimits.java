package volsh.engine.postgres;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How much an engine asks of a server, and how long it waits for it.
 *
 * @param connections how many transactions and reads run at once
 * @param patience how long an operation waits for a server that cannot be reached, and how often it gives way to others
 * @param idle after which time a connection that nobody needs is closed
 * @param pace of those who follow the log of changes
 */
record PostgresLimits(int connections, Duration patience, Duration idle, LogPace pace) {
    /** The option of a URL that says how long an operation waits for a server that is away or does not answer, in seconds. */
    static final String OUTAGE = "outageTimeout";
    private static final int OUTAGE_SECONDS = 30;
    private static final Pattern SECONDS = Pattern.compile("[1-9][0-9]{0,4}");

    static PostgresLimits standard() {
        return new PostgresLimits(8, Duration.ofSeconds(OUTAGE_SECONDS), Duration.ofMinutes(1), LogPace.standard());
    }

    /** As the URL says. */
    static PostgresLimits of(PostgresUrl url) {
        int seconds = Integer.parseInt(url.options().getOrDefault(OUTAGE, Integer.toString(OUTAGE_SECONDS)));
        return new PostgresLimits(standard().connections, Duration.ofSeconds(seconds), standard().idle, standard().pace);
    }

    /** @throws IllegalArgumentException if the options name no time */
    static void requireSense(Map<String, String> options) {
        if (!SECONDS.matcher(options.getOrDefault(OUTAGE, "1")).matches()) {
            throw new IllegalArgumentException("%s in the URL of a PostgreSQL database is a number of seconds, 1 to 99999".formatted(OUTAGE));
        }
    }

    PostgresLimits with(LogPace other) {
        return new PostgresLimits(connections, patience, idle, other);
    }
}
