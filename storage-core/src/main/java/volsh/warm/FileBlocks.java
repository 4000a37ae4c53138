package volsh.warm;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.transfer.TreeWalk;
import volsh.vfs.Paths;
import volsh.vfs.Vfs;

/** Finds the blocks of all files below some paths, as the metadata has them now. */
final class FileBlocks {
    private final Vfs vfs;

    FileBlocks(Vfs vfs) {
        this.vfs = vfs;
    }

    /** Visits what is found, file by file. */
    interface Visitor {
        /** A part of the file, in this block. */
        void found(long ino, Extent part, BlockRow block) throws IOException;

        /** The file has no more parts; {@code unstored} bytes of it are in no block: holes and inline bytes. */
        void ended(Attributes file, long unstored) throws IOException;
    }

    /** @throws FsException NO_ENTRY for a path that leads nowhere */
    void visit(List<String> paths, Visitor visitor) throws IOException {
        for (var path : paths) {
            var top = resolve(path);
            if (!top.isDirectory()) {
                file(top, visitor);
                continue;
            }
            new TreeWalk(vfs).below(top.ino(), found -> {
                if (!found.attributes().isDirectory()) {
                    file(found.attributes(), visitor);
                }
                return true;
            });
        }
    }

    Attributes resolve(String path) throws IOException {
        return new Paths(vfs).resolve(path);
    }

    /** Visits one file; a file that is gone, or is not regular, has no parts. */
    void file(Attributes file, Visitor visitor) throws IOException {
        long stored = 0;
        try {
            for (long at = 0; file.isRegular() && at < file.size(); ) {
                var content = vfs.content(file.ino(), at, file.size());
                long next = file.size();
                for (var extent : content.extents()) {
                    var part = extent.clip(at, file.size());
                    visitor.found(file.ino(), part, Objects.requireNonNull(content.blocks().get(part.block())));
                    stored += part.length();
                    next = content.complete() ? file.size() : part.end();
                }
                at = next;
            }
        } catch (FsException gone) {
            if (gone.error() != FsError.NO_ENTRY && gone.error() != FsError.STALE) {
                throw gone;
            }
        }
        visitor.ended(file, Math.max(0, file.isRegular() ? file.size() - stored : 0));
    }

    /** Whether the file still has bytes in this block. */
    boolean names(long ino, long block) throws IOException {
        var named = new boolean[1];
        try {
            file(vfs.attributes(ino), new Visitor() {
                @Override
                public void found(long file, Extent part, BlockRow row) {
                    named[0] |= row.id() == block;
                }

                @Override
                public void ended(Attributes file, long unstored) {}
            });
        } catch (FsException gone) {
            return false;
        }
        return named[0];
    }
}
