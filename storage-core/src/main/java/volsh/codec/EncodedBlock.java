package volsh.codec;

import java.nio.ByteBuffer;

/** A block ready to be stored: {@code stored} is a view of the buffer it was encoded into, {@code index} its frames. */
public record EncodedBlock(ByteBuffer stored, FrameIndex index) {}
