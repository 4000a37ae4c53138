package volsh.plan;

/** The element type of a tensor. */
public enum Element {
    F64(8), F32(4), BF16(2), F16(2), F8(1), I64(8), I32(4), I16(2), U8(1);

    private final int bytes;

    Element(int bytes) {
        this.bytes = bytes;
    }

    public int bytes() {
        return bytes;
    }
}
