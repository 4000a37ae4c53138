package volsh.erasure;

/** The field of 256 elements with the polynomial 0x11d, as in RAID-6 and ISA-L. Addition is exclusive or. */
final class GaloisField {
    private static final int POLYNOMIAL = 0x11d;
    private static final int[] POWERS = new int[510];
    private static final int[] LOGARITHMS = new int[256];

    static {
        for (int i = 0, value = 1; i < 255; i++) {
            POWERS[i] = value;
            POWERS[i + 255] = value;
            LOGARITHMS[value] = i;
            value = value << 1 ^ (value >= 128 ? POLYNOMIAL : 0);
        }
    }

    private GaloisField() {}

    static int multiply(int a, int b) {
        return a == 0 || b == 0 ? 0 : POWERS[LOGARITHMS[a] + LOGARITHMS[b]];
    }

    static int inverse(int a) {
        if (a == 0) {
            throw new ArithmeticException("0 has no inverse");
        }
        return POWERS[255 - LOGARITHMS[a]];
    }

    static int divide(int a, int b) {
        return multiply(a, inverse(b));
    }
}
