package volsh.fs;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where the metadata keeps the bytes of regular files: the seam between those who know names and those who know blocks. A
 * change that meets more rows than one transaction may touch runs in several; each leaves the file whole, with a prefix of
 * the change done.
 */
public interface FileTable {
    /** An id that no block has had before. */
    long newBlock() throws IOException;

    /** What the file holds in {@code [from, to)}. */
    Content content(long ino, long from, long to) throws IOException;

    /**
     * Writes patches into the inline bytes of a small file. Empty, with nothing changed, if the file is kept in extents or
     * would outgrow {@code inlineMax}: store the bytes as a block then.
     */
    Optional<Attributes> patchInline(long ino, List<Patch> patches, long size, OptionalLong mtime, int inlineMax) throws IOException;

    /**
     * Adds bytes to the end of a small file, wherever that is now. Empty, with nothing changed, as with {@link #patchInline}.
     */
    Optional<Attributes> appendInline(long ino, byte[] bytes, OptionalLong mtime, int inlineMax) throws IOException;

    /**
     * Lays stored blocks under the file. Empty, with nothing changed, if the file has inline bytes other than the ones the
     * commit absorbed, or has those no longer: read them and build the commit anew.
     */
    Optional<Attributes> commit(long ino, FileCommit commit) throws IOException;

    /**
     * Puts another block under bytes that the file has already: does those of the moves, in file order and at most
     * {@link #MOVES_MAX}, that still can be done. Bytes, size and times stay as they are; the version does not. Empty, with
     * nothing changed, if none could be: nobody names the block then.
     */
    Optional<Attributes> move(long ino, BlockRow block, List<Move> moves) throws IOException;

    /** How many moves fit one transaction. */
    int MOVES_MAX = 64;

    /** Cuts the file off at {@code size}, or extends it with a hole. */
    Attributes truncate(long ino, long size) throws IOException;

    /** Makes {@code [from, to)} a hole; the size stays, unless {@code extend} and the file is shorter than {@code to}. */
    Attributes punch(long ino, long from, long to, boolean extend) throws IOException;

    /**
     * Makes {@code [to, to + length)} of file {@code target} the same bytes as {@code [from, from + length)} of
     * {@code source} without copying any. False, with nothing changed, if either keeps its bytes inline: copy them then.
     */
    boolean share(long source, long from, long target, long to, long length) throws IOException;
}
