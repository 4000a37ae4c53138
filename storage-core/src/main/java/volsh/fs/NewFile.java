package volsh.fs;

import java.util.Optional;

/**
 * A whole regular file to be created in one step: its place, its attributes and its bytes, inline or as one extent
 * (empty files have neither). Its first version is {@link #VERSION}.
 *
 * @param onlyNew   fails if the name is taken, where the file of that name would be replaced
 * @param attribute an extended attribute that it begins with
 */
public record NewFile(
        long parent, Name name, int mode, Owner owner, long atime, long mtime, Optional<byte[]> inline,
        Optional<Extent> extent, boolean onlyNew, Optional<Attribute> attribute) {
    public static final long VERSION = 1;

    /** As a time: when it is made. */
    public static final long NOW = Long.MIN_VALUE;

    /** An extended attribute. */
    public record Attribute(byte[] name, byte[] value) {}

    public NewFile {
        if (inline.isPresent() && extent.isPresent()) {
            throw new IllegalArgumentException("a file has inline bytes or an extent, not both: " + name);
        }
    }

    public NewFile(long parent, Name name, int mode, Owner owner, long atime, long mtime, Optional<byte[]> inline,
            Optional<Extent> extent) {
        this(parent, name, mode, owner, atime, mtime, inline, extent, false, Optional.empty());
    }

    public long size() {
        return inline.isPresent() ? inline.get().length : extent.isPresent() ? extent.get().length() : 0;
    }
}
