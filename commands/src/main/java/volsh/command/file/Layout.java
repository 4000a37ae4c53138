package volsh.command.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;
import volsh.fs.ImportedBlock;
import volsh.vfs.Vfs;

/**
 * The location of a file's bytes: inline in its metadata, in extents of stored blocks, which other files may share, or
 * in objects that were imported.
 */
record Layout(long inlineBytes, long storedBytes, long importedBytes, int blocks, List<Run> extents) {
    static final Layout NONE = new Layout(0, 0, 0, 0, List.of());

    /** Bytes of the file that are contiguous in a block; the object and its ETag if the block is imported. */
    record Run(long start, long length, long block, long offset, @Nullable String object, @Nullable String etag) {}

    static Layout of(Vfs vfs, Attributes file) throws IOException {
        var runs = new ArrayList<Run>();
        Map<Long, Long> stored = new HashMap<>();
        long from = 0;
        long imported = 0;
        while (true) {
            var content = vfs.content(file.ino(), from, Long.MAX_VALUE - 1);
            if (content.inline() != null) {
                return new Layout(content.inline().length, 0, 0, 0, List.of());
            }
            for (var extent : content.extents()) {
                var object = ImportedBlock.is(extent.block()) ? ImportedBlock.of(content.block(extent)) : null;
                runs.add(new Run(extent.start(), extent.length(), extent.block(), extent.offset(),
                        object == null ? null : object.key(), object == null ? null : object.etag()));
                imported += object == null ? 0 : extent.length();
            }
            content.blocks().forEach((id, row) -> stored.put(id, row.ownBytes()));
            if (content.complete()) {
                return new Layout(0, stored.values().stream().mapToLong(Long::longValue).sum(), imported,
                        stored.size(), runs);
            }
            from = content.extents().getLast().end();
        }
    }
}
