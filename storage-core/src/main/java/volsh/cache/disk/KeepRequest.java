package volsh.cache.disk;

import java.util.List;

/**
 * Why frames are to be kept although the policy may say otherwise: somebody asked for it. Blocks that nobody has asked for since
 * it was made, by the clock of their directory, make room for them. With {@code ahead} their reader is about to come, and they stay
 * until he did.
 */
public record KeepRequest(List<Long> since, boolean ahead) {
    /** Any block makes room. */
    static final KeepRequest FOR_A_PIN = new KeepRequest(List.of(Long.MAX_VALUE), false);

    public KeepRequest {
        since = List.copyOf(since);
    }

    /** What it means to one of several directories. */
    KeepRequest of(int directory) {
        return new KeepRequest(List.of(since.get(directory)), ahead);
    }

    /** May a block that was last asked for at this time make room? */
    boolean beats(long touched) {
        return touched < since.getFirst();
    }
}
