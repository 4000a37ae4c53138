package volsh.cache.disk;

import java.util.List;

/**
 * A claim to keep frames although the policy may decide otherwise, because a person asked for it. Blocks that were not
 * read since the claim was made, by the clock of their directory, may be evicted for them. With {@code ahead} the
 * frames are about to be read, and stay until then.
 */
public record KeepRequest(List<Long> since, boolean ahead) {
    /** Any block may be evicted. */
    static final KeepRequest FOR_A_PIN = new KeepRequest(List.of(Long.MAX_VALUE), false);

    public KeepRequest {
        since = List.copyOf(since);
    }

    /** The claim for one of several directories. */
    KeepRequest of(int directory) {
        return new KeepRequest(List.of(since.get(directory)), ahead);
    }

    /** Whether a block that was last read at this time may be evicted. */
    boolean beats(long touched) {
        return touched < since.getFirst();
    }
}
