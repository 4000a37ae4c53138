package volsh.codec;

/** Limits of blocks. Decoders refuse larger values before they allocate or compute with them. */
final class BlockLimits {
    /** Raw bytes of a block: 64 MiB. */
    static final int RAW_LENGTH_MAX = 64 << 20;

    /** Raw bytes of a frame, as decoders accept it: 1 MiB. Encoders cut shorter ones. */
    static final int FRAME_LENGTH_MAX = 1 << 20;

    /** Frames of a block. */
    static final int FRAMES_MAX = 1 << 20;

    private BlockLimits() {}
}
