package volsh.codec;

import java.util.UUID;

/** Which block of which volume: part of every checksum, so that one block never passes for another. */
public record BlockIdentity(UUID volume, long block) {
    @Override
    public String toString() {
        return "block %d of volume %s".formatted(block, volume);
    }
}
