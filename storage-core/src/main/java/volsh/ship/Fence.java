package volsh.ship;

import java.time.Instant;

/** Why this copy of the metadata may no longer change: which host has the volume now, and since when. */
public record Fence(String host, Instant since, long epoch) {
    @Override
    public String toString() {
        return "the volume was attached elsewhere at %s by %s: this copy is read-only, and changes made here since then"
                .formatted(since, host) + " are not in the store";
    }
}
