package volsh.fuse;

import java.io.IOException;
import java.util.List;
import volsh.fs.FileKind;
import volsh.fs.Name;

/** An open directory of a {@link FuseFileSystem}; {@code .} and {@code ..} are the caller's. Thread-safe. */
public interface FuseDirectory {
    /** An entry, and the cookie that continues behind it. */
    record Entry(long cookie, Name name, long ino, FileKind kind) {}

    /** At most {@code limit} entries behind the cookie, none at the end; 0 starts over. */
    List<Entry> read(long cookie, int limit) throws IOException;

    /** Counts a reference to the entry and returns its attributes; without them if they have to be looked up. */
    FuseEntry enter(Entry entry) throws IOException;
}
