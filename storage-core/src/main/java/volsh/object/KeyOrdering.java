package volsh.object;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** The order of keys in a listing: that of their UTF-8 bytes, which differs from the order of Java's strings. */
public final class KeyOrdering {
    public static final Comparator<String> BYTES = KeyOrdering::compare;

    private KeyOrdering() {}

    private static int compare(String one, String other) {
        int same = Math.min(one.length(), other.length());
        for (int i = 0; i < same; i++) {
            char a = one.charAt(i);
            char b = other.charAt(i);
            if (a != b) {
                return a < 0x80 && b < 0x80 ? a - b
                        : Arrays.compareUnsigned(bytes(one, i), bytes(other, i));
            }
        }
        return one.length() - other.length();
    }

    /** The start of the character at the index: a pair of surrogates is one. */
    private static int at(String text, int index) {
        return index > 0 && Character.isLowSurrogate(text.charAt(index)) ? index - 1 : index;
    }

    private static byte[] bytes(String text, int from) {
        return text.substring(at(text, from)).getBytes(StandardCharsets.UTF_8);
    }
}
