package volsh.fuse;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import volsh.fs.AttributeChange;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;

/**
 * A file system that is not a volume, as a mount serves it: one method per verb, on node numbers. A node is counted
 * each time {@link #lookup}, a creating verb or {@link FuseDirectory#enter} returns it, and keeps its number until it
 * is forgotten as often. Thread-safe. The kernel checks permissions and keeps locks to itself.
 */
public interface FuseFileSystem {
    long ROOT = 1;

    FuseEntry attributes(long node) throws IOException;

    /** Without attributes if there is nothing of that name. */
    FuseEntry lookup(long directory, Name name) throws IOException;

    long parent(long directory) throws IOException;

    void forget(long node, long references);

    /** Changes attributes and, if present, the size. */
    FuseEntry change(long node, AttributeChange change, OptionalLong size) throws IOException;

    /** {@code process} is the thread that opens it. */
    FuseFile open(long node, boolean writes, boolean truncates, int process) throws IOException;

    /** A new file. */
    record Created(FuseEntry entry, FuseFile file) {}

    /** Makes a file and opens it for writing. @throws FsException EXISTS if {@code exclusive} and there is one */
    Created create(long directory, Name name, int mode, Owner owner, boolean exclusive, int process)
            throws IOException;

    FuseDirectory openDirectory(long node) throws IOException;

    FuseEntry makeDirectory(long directory, Name name, int mode, Owner owner) throws IOException;

    void unlink(long directory, Name name) throws IOException;

    void removeDirectory(long directory, Name name) throws IOException;

    void rename(long directory, Name name, long newDirectory, Name newName, RenameMode mode) throws IOException;

    /** Makes everything written so far as safe as {@link FuseFile#fsync} does. */
    void sync() throws IOException;

    Space space() throws IOException;

    /** Describes a node, for messages. */
    String path(long node);

    /** Calls this for a node of which the kernel's pages and attributes are no longer true. */
    void pagesOutdated(LongConsumer forget);
}
