package volsh.codec;

import java.util.UUID;

/** The volume and number of a block: part of every checksum, so that one block never passes for another. */
public record BlockIdentity(UUID volume, long block) {
    @Override
    public String toString() {
        return "block %d of volume %s".formatted(block, volume);
    }
}
