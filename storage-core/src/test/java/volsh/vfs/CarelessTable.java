package volsh.vfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.Content;
import volsh.fs.Extent;
import volsh.fs.FileCommit;
import volsh.fs.FileTable;
import volsh.fs.Move;
import volsh.fs.Patch;

/** A table that moves bytes without looking whether they are still the file's: what tests must notice. */
record CarelessTable(FileTable table) implements FileTable {
    @Override
    public Optional<Attributes> commit(long ino, FileCommit commit) throws IOException {
        var extents = new ArrayList<Extent>();
        commit.moves().forEach(move -> extents.add(move.to()));
        extents.addAll(commit.extents());
        return table.commit(ino, new FileCommit(commit.blocks(), extents, commit.size(), commit.mtime(),
                commit.absorbed()));
    }

    @Override
    public Optional<Attributes> move(long ino, BlockRow block, List<Move> moves) throws IOException {
        return commit(ino, new FileCommit(List.of(block), List.of(), 0, OptionalLong.empty(), -1, moves));
    }

    @Override
    public long newBlock() throws IOException {
        return table.newBlock();
    }

    @Override
    public Content content(long ino, long from, long to) throws IOException {
        return table.content(ino, from, to);
    }

    @Override
    public Optional<Attributes> patchInline(long ino, List<Patch> patches, long size, OptionalLong mtime, int inlineMax)
            throws IOException {
        return table.patchInline(ino, patches, size, mtime, inlineMax);
    }

    @Override
    public Optional<Attributes> appendInline(long ino, byte[] bytes, OptionalLong mtime, int inlineMax)
            throws IOException {
        return table.appendInline(ino, bytes, mtime, inlineMax);
    }

    @Override
    public Attributes truncate(long ino, long size) throws IOException {
        return table.truncate(ino, size);
    }

    @Override
    public Attributes punch(long ino, long from, long to, boolean extend) throws IOException {
        return table.punch(ino, from, to, extend);
    }

    @Override
    public boolean share(long source, long from, long target, long to, long length) throws IOException {
        return table.share(source, from, target, to, length);
    }
}
