package volsh.fs;

import java.util.Optional;

/**
 * A whole regular file to be created in one step: its place, its attributes and its bytes, inline or as one extent
 * (empty files have neither).
 */
public record NewFile(
        long parent, Name name, int mode, Owner owner, long atime, long mtime, Optional<byte[]> inline,
        Optional<Extent> extent) {
    public NewFile {
        if (inline.isPresent() && extent.isPresent()) {
            throw new IllegalArgumentException("a file has inline bytes or an extent, not both: " + name);
        }
    }

    public long size() {
        return inline.isPresent() ? inline.get().length : extent.isPresent() ? extent.get().length() : 0;
    }
}
