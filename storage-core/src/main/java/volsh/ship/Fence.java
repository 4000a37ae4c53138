package volsh.ship;

import java.time.Instant;

/** Why this copy of the metadata may not change any more: who has the volume now, and since when. */
public record Fence(String host, Instant since, long epoch) {
    @Override
    public String toString() {
        return "this volume was attached elsewhere at %s by %s: this copy can only be read, and what was changed here since"
                .formatted(since, host) + " is not in the store";
    }
}
