package volsh.command.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.fs.Attributes;
import volsh.vfs.Vfs;

/**
 * The location of a file's bytes: inline in its metadata, or in extents of stored blocks, which other files may share.
 */
record Layout(long inlineBytes, long storedBytes, int blocks, List<Run> extents) {
    static final Layout NONE = new Layout(0, 0, 0, List.of());

    /** Bytes of the file that are contiguous in a block. */
    record Run(long start, long length, long block, long offset) {}

    static Layout of(Vfs vfs, Attributes file) throws IOException {
        var runs = new ArrayList<Run>();
        Map<Long, Long> stored = new HashMap<>();
        long from = 0;
        while (true) {
            var content = vfs.content(file.ino(), from, Long.MAX_VALUE - 1);
            if (content.inline() != null) {
                return new Layout(content.inline().length, 0, 0, List.of());
            }
            for (var extent : content.extents()) {
                runs.add(new Run(extent.start(), extent.length(), extent.block(), extent.offset()));
            }
            content.blocks().forEach((id, row) -> stored.put(id, row.storedSize()));
            if (content.complete()) {
                return new Layout(0, stored.values().stream().mapToLong(Long::longValue).sum(), stored.size(), runs);
            }
            from = content.extents().getLast().end();
        }
    }
}
