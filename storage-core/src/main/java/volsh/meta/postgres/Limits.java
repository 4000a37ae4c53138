package volsh.meta.postgres;

import java.time.Duration;

/**
 * How much an engine asks of a server, and how long it waits for it.
 *
 * @param connections how many transactions and reads run at once
 * @param patience how long an operation waits for a server that cannot be reached, and how often it gives way to others
 * @param idle after which time a connection that nobody needs is closed
 * @param pace of those who follow the log of changes
 */
record Limits(int connections, Duration patience, Duration idle, Pace pace) {
    static Limits standard() {
        return new Limits(8, Duration.ofSeconds(30), Duration.ofMinutes(1), Pace.standard());
    }

    Limits with(Pace other) {
        return new Limits(connections, patience, idle, other);
    }
}
