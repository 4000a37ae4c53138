package volsh.meta.postgres;

import java.time.Duration;

/**
 * How much an engine asks of a server, and how long it waits for it.
 *
 * @param connections how many transactions and reads run at once
 * @param patience how long an operation waits for a server that cannot be reached, and how often it gives way to others
 * @param idle after which time a connection that nobody needs is closed
 */
record Limits(int connections, Duration patience, Duration idle) {
    static Limits standard() {
        return new Limits(8, Duration.ofSeconds(30), Duration.ofMinutes(1));
    }
}
