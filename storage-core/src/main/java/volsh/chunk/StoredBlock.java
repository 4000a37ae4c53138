package volsh.chunk;

import volsh.codec.BlockIdentity;
import volsh.codec.FrameIndex;

/** A block that metadata names: which it is, and where its frames lie. */
record StoredBlock(BlockIdentity identity, FrameIndex index) {
    long id() {
        return identity.block();
    }
}
