package volsh.fs;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The bytes of regular files in the metadata: the seam between code that knows names and code that knows blocks. A
 * change that meets more rows than one transaction may touch runs in several; each leaves the file consistent, with a
 * prefix of the change done.
 */
public interface FileTable {
    /** An unused block id. */
    long newBlock() throws IOException;

    /** The content of the file in {@code [from, to)}. */
    Content content(long ino, long from, long to) throws IOException;

    /**
     * Writes patches into the inline bytes of a small file. Empty, with nothing changed, if the file is in extents or
     * would outgrow {@code inlineMax}: then store the bytes as a block.
     */
    Optional<Attributes> patchInline(long ino, List<Patch> patches, long size, OptionalLong mtime, int inlineMax)
            throws IOException;

    /** Appends bytes to a small file, at its current end. Empty, with nothing changed, as with {@link #patchInline}. */
    Optional<Attributes> appendInline(long ino, byte[] bytes, OptionalLong mtime, int inlineMax) throws IOException;

    /**
     * Lays stored blocks under the file. Empty, with nothing changed, if the file has inline bytes other than those the
     * commit absorbed, or no longer has those: read them and build the commit again.
     */
    Optional<Attributes> commit(long ino, FileCommit commit) throws IOException;

    /**
     * Puts another block under bytes that the file already has: applies those of the moves, in file order and at most
     * {@link #MOVES_MAX}, that still apply. Bytes, size and times stay as they are; the version changes. Empty, with
     * nothing changed, if none applied: then the block stays unnamed.
     */
    Optional<Attributes> move(long ino, BlockRow block, List<Move> moves) throws IOException;

    /** How many moves fit one transaction. */
    int MOVES_MAX = 64;

    /** Cuts the file off at {@code size}, or extends it with a hole. */
    Attributes truncate(long ino, long size) throws IOException;

    /**
     * Makes {@code [from, to)} a hole; the size stays, unless {@code extend} and the file is shorter than {@code to}.
     */
    Attributes punch(long ino, long from, long to, boolean extend) throws IOException;

    /**
     * Makes {@code [to, to + length)} of file {@code target} the same bytes as {@code [from, from + length)} of {@code
     * source} without copying any. False, with nothing changed, if either has inline bytes: then copy them.
     */
    boolean share(long source, long from, long target, long to, long length) throws IOException;
}
