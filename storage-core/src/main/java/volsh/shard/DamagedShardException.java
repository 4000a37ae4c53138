package volsh.shard;

import java.io.IOException;

/** The bytes of a shard are not what its format demands, at an offset. */
public final class DamagedShardException extends IOException {
    private static final long serialVersionUID = 1;
    private final long offset;

    public DamagedShardException(long offset, String reason) {
        super("damaged at offset %d: %s".formatted(offset, reason));
        this.offset = offset;
    }

    public long offset() {
        return offset;
    }
}
