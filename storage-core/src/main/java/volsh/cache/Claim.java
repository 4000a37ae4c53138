package volsh.cache;

import java.util.List;

/**
 * Why frames are to be kept although the policy may say otherwise: somebody asked for it. Blocks that nobody has asked for since
 * it was made, by the clock of their directory, make room for them. With {@code ahead} their reader is about to come, and they stay
 * until he did.
 */
public record Claim(List<Long> since, boolean ahead) {
    /** Any block makes room. */
    static final Claim FOR_A_PIN = new Claim(List.of(Long.MAX_VALUE), false);

    public Claim {
        since = List.copyOf(since);
    }

    /** What it means to one of several directories. */
    Claim of(int directory) {
        return new Claim(List.of(since.get(directory)), ahead);
    }

    /** May a block that was last asked for at this time make room? */
    boolean beats(long touched) {
        return touched < since.getFirst();
    }
}
