package volsh.vfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import volsh.chunk.Chunks;
import volsh.chunk.Packer;
import volsh.engine.MetaDamagedException;
import volsh.fs.Attributes;
import volsh.fs.Extent;
import volsh.fs.GatheredFiles;
import volsh.meta.SmallFiles;
import volsh.meta.SmallFiles.Inline;

/**
 * Stores small files together whose bytes are in the metadata though they are above the inline limit, see
 * {@link GatheredFiles}. As with {@link FilePacking}, a block is stored first, in the store itself; transactions then
 * put it in the place of the bytes, of each file only if it is unchanged. So this may be killed at any moment, and may
 * run beside programs that change these files.
 */
final class GatheredPacking {
    private static final int BYTES_MAX = 4 << 20;

    private final SmallFiles table;
    private final Chunks chunks;
    private final Coherence coherence;
    private final PackingRules rules;
    private final PackingListener listener;
    private final int full;
    private final List<Inline> group = new ArrayList<>();
    private int bytes;
    private int layout;

    GatheredPacking(SmallFiles table, Chunks chunks, Coherence coherence, PackingRules rules,
            PackingListener listener) {
        this.table = table;
        this.chunks = chunks;
        this.coherence = coherence;
        this.rules = rules;
        this.listener = listener;
        this.full = Math.min(chunks.settings().blockSize(), BYTES_MAX);
    }

    /** Files that moved, or would move, to one block. */
    record Moved(int files, long bytes) {}

    /** Adds files in their order; others than gathered ones are left out. Returns what moved. */
    List<Moved> add(List<Long> inos) throws IOException {
        var moved = new ArrayList<Moved>();
        for (int from = 0; from < inos.size() && !listener.stopped(); from += SmallFiles.FILES_MAX) {
            for (var file : look(inos.subList(from, Math.min(from + SmallFiles.FILES_MAX, inos.size())))) {
                int mine = chunks.policy(file.ino());
                if (mine != layout || bytes + file.bytes().length > full) {
                    moved.addAll(end());
                }
                layout = mine;
                group.add(file);
                bytes += file.bytes().length;
            }
        }
        return moved;
    }

    /** Damaged files are left out, and no others for their sake. */
    private List<Inline> look(List<Long> inos) throws IOException {
        try {
            return table.inline(inos, chunks.settings().inlineMax(), full, rules.kept());
        } catch (MetaDamagedException damaged) {
            if (inos.size() == 1) {
                return List.of();
            }
            var files = new ArrayList<Inline>();
            for (long ino : inos) {
                files.addAll(look(List.of(ino)));
            }
            return files;
        }
    }

    /** Stores what was added and is not stored yet. */
    List<Moved> end() throws IOException {
        var files = List.copyOf(group);
        group.clear();
        bytes = 0;
        if (files.isEmpty() || listener.stopped()) {
            return List.of();
        }
        var moved = rules.dry() ? sum(files) : store(files);
        return moved.files() == 0 ? List.of() : List.of(moved);
    }

    private static Moved sum(List<Inline> files) {
        return new Moved(files.size(), files.stream().mapToLong(file -> file.bytes().length).sum());
    }

    private Moved store(List<Inline> files) throws IOException {
        var packer = chunks.packer();
        var pack = packer.packLasting(files.stream().map(file -> ByteBuffer.wrap(file.bytes())).toList(),
                files.getFirst().ino());
        var moved = new HashSet<Long>();
        for (int from = 0; from < files.size(); from += SmallFiles.FILES_MAX) {
            int to = Math.min(from + SmallFiles.FILES_MAX, files.size());
            moved.addAll(commit(packer, pack, moved.isEmpty(), files.subList(from, to),
                    pack.extents().subList(from, to)));
        }
        if (moved.isEmpty()) {
            packer.discard(pack);
        } else {
            listener.stored(pack.block().rawSize());
        }
        return sum(files.stream().filter(file -> moved.contains(file.ino())).toList());
    }

    private Set<Long> commit(Packer packer, Packer.Pack pack, boolean fresh, List<Inline> files, List<Extent> extents)
            throws IOException {
        return committing(packer, coherence, files.stream().map(Inline::ino).toList(), free -> {
            var mine = new LinkedHashMap<Inline, Extent>();
            for (int i = 0; i < files.size(); i++) {
                if (free.contains(files.get(i).ino())) {
                    mine.put(files.get(i), extents.get(i));
                }
            }
            return table.moveInline(pack.block(), fresh, mine);
        }).keySet();
    }

    /** Puts the bytes of files elsewhere, and returns the new attributes of those that changed. */
    interface Move {
        Map<Long, Attributes> run(Set<Long> inos) throws IOException;
    }

    /** Moves those of these files that nothing else commits at the moment, and tells caches that they are as before. */
    static Map<Long, Attributes> committing(Packer packer, Coherence coherence, List<Long> inos, Move move)
            throws IOException {
        return packer.committing(inos, free -> {
            var mine = new HashSet<Long>();
            free.forEach(state -> mine.add(state.ino()));
            var moved = mine.isEmpty() ? new HashMap<Long, Attributes>() : move.run(mine);
            for (var state : free) {
                var attributes = moved.get(state.ino());
                if (attributes != null) {
                    state.madeVersion(attributes.version());
                    coherence.restored(state.ino(), attributes.version());
                }
            }
            return moved;
        });
    }
}
