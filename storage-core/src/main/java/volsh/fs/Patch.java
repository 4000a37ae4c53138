package volsh.fs;

/** Bytes to be written at an offset of a file. */
public record Patch(long offset, byte[] bytes) {
    public long end() {
        return offset + bytes.length;
    }
}
