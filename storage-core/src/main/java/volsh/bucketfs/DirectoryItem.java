package volsh.bucketfs;

import org.jspecify.annotations.Nullable;

/**
 * A name in a directory, as the bucket has it.
 *
 * @param name under which it is shown
 * @param segment the part of the key that it stands for
 * @param state of a file; null for a directory
 */
record DirectoryItem(String name, String segment, @Nullable ObjectState state) {
    static DirectoryItem file(String segment, boolean object, ObjectState state) {
        return new DirectoryItem(SegmentName.of(segment, object), segment, state);
    }

    static DirectoryItem directory(String segment) {
        return new DirectoryItem(SegmentName.of(segment, false), segment, null);
    }

    boolean isDirectory() {
        return state == null;
    }
}
