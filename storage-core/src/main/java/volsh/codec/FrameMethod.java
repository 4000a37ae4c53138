package volsh.codec;

/** How one frame's payload was written. The codes are part of the format. */
enum FrameMethod {
    RAW(0),
    LZ4(1),
    ZSTD(2),
    PLANES(3);

    private final byte code;

    FrameMethod(int code) {
        this.code = (byte) code;
    }

    byte code() {
        return code;
    }

    static FrameMethod of(Compression compression) {
        if (compression instanceof Compression.None) {   // without linking the switch first
            return RAW;
        }
        return switch (compression) {
            case Compression.None() -> RAW;
            case Compression.Lz4() -> LZ4;
            case Compression.Zstd(int _) -> ZSTD;
            case Compression.Planes(int _) -> PLANES;
        };
    }

    static boolean isKnown(int code) {
        return code >= 0 && code <= PLANES.code;
    }

    /** The method of a known code. */
    static FrameMethod of(int code) {
        return switch (code) {
            case 0 -> RAW;
            case 1 -> LZ4;
            case 2 -> ZSTD;
            case 3 -> PLANES;
            default -> throw new IllegalArgumentException("no such method: " + code);
        };
    }
}
