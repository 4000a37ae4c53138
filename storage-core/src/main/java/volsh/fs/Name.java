package volsh.fs;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The name of a directory entry: 1 to 255 bytes without NUL and slash, neither {@code .} nor {@code ..}. Bytes, not
 * text: programs may use names that are not UTF-8, and must get them back unchanged.
 */
public final class Name implements Comparable<Name> {
    /** No name is longer. */
    public static final int LENGTH_MAX = 255;

    private final byte[] bytes;

    private Name(byte[] bytes) {
        this.bytes = bytes;
    }

    /** @throws FsException if the text is not a valid name */
    public static Name of(String text) throws FsException {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Takes ownership of the array. @throws FsException if the bytes are not a valid name */
    public static Name of(byte[] bytes) throws FsException {
        if (bytes.length > LENGTH_MAX) {
            throw new FsException(FsError.NAME_TOO_LONG);
        }
        if (bytes.length == 0) {
            throw new FsException(FsError.NO_ENTRY, "a file name cannot be empty");
        }
        if (bytes[0] == '.' && (bytes.length == 1 || bytes.length == 2 && bytes[1] == '.')) {
            throw new FsException(FsError.INVALID, "'.' and '..' cannot be created, renamed or removed");
        }
        for (byte b : bytes) {
            if (b == 0 || b == '/') {
                throw new FsException(FsError.INVALID, "a file name cannot contain a slash or NUL");
            }
        }
        return new Name(bytes);
    }

    /** The name's bytes; not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public int compareTo(Name other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Name name && Arrays.equals(bytes, name.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The name as text; bytes that are not UTF-8 show as {@code \xNN}. */
    @Override
    public String toString() {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException notText) {
            var shown = new StringBuilder();
            for (byte b : bytes) {
                shown.append(b >= ' ' ? String.valueOf((char) b) : "\\x%02x".formatted(b));
            }
            return shown.toString();
        }
    }
}
