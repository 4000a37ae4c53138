package volsh.shard.format;

import org.jspecify.annotations.Nullable;

/**
 * A member of a tar archive that is not a directory.
 *
 * @param header  where its first header is
 * @param offset  where its bytes are
 * @param problem why it cannot be a field of a sample, such as "is a symbolic link"; null if it can
 */
record TarMember(String name, long header, long offset, long size, @Nullable String problem) {
    /** Where the next member begins. */
    long end() {
        return offset + TarHeader.padded(size);
    }

    /** The first dot after the last slash; negative if the name has no extension or nothing before it. */
    private static int dot(String name) {
        int last = name.lastIndexOf('/') + 1;
        int dot = name.indexOf('.', last);
        return dot == last || dot == name.length() - 1 ? -1 : dot;
    }

    static boolean hasKey(String name) {
        return dot(name) >= 0;
    }

    String key() {
        return name.substring(0, dot(name));
    }

    String field() {
        return name.substring(dot(name) + 1);
    }

    /** Whether both are fields of one sample. */
    boolean sharesKey(TarMember other) {
        int dot = dot(name);
        return dot == dot(other.name) && name.regionMatches(0, other.name, 0, dot);
    }
}
