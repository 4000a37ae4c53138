package volsh.vfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import volsh.chunk.Chunks;
import volsh.chunk.Packer;
import volsh.engine.MetaDamagedException;
import volsh.fs.Attributes;
import volsh.fs.Extent;
import volsh.meta.SmallFiles;
import volsh.meta.SmallFiles.FileMoves;
import volsh.meta.SmallFiles.Small;
import volsh.meta.SmallFiles.Use;

/**
 * Stores small files together that are in blocks of their own, or {@link GatheredPacking gathered}, so that reading all
 * of them takes few gets. The order in which files are added is the order in which they are stored: directories are
 * added in name order. What moves is decided by {@link PackingChoice}.
 *
 * <p>The content of files does not change. A block is stored first; transactions then move the files to it, each only
 * if its extents are what was read, and the old blocks die in these. So this may be killed at any moment, and may run
 * beside mounts that read, write and delete; a stored block that no file came to use is garbage, like any other.
 * Damaged files stay as they are.
 */
public final class FilePacking {
    private static final int WINDOW = 4096;
    private static final int WINDOW_MAX = 8 * WINDOW;
    private static final int REMEMBERED_MAX = 1 << 18;

    private final SmallFiles table;
    private final Chunks chunks;
    private final HeldTicks held;
    private final Coherence coherence;
    private final PackingRules rules;
    private final PackingListener listener;
    private final PackingChoice choice;
    private final GatheredPacking gathered;
    private final Set<Long> failed = new HashSet<>();
    private final Set<Long> counted = new HashSet<>();
    private final Map<Long, Small> window = new LinkedHashMap<>();
    private final Map<Long, Use> blocks = new HashMap<>();
    private PackingReport report = PackingReport.NOTHING;
    private long shared;

    FilePacking(SmallFiles table, Chunks chunks, HeldTicks held, Coherence coherence, PackingRules rules,
            PackingListener listener) {
        this.table = table;
        this.chunks = chunks;
        this.held = held;
        this.coherence = coherence;
        this.rules = rules;
        this.listener = listener;
        this.gathered = new GatheredPacking(table, chunks, coherence, rules, listener);
        this.choice = new PackingChoice(chunks.settings().blockSize(), failed);
    }

    private long sizeMax() {
        return chunks.settings().blockSize() / rules.part();
    }

    /** Adds files in their order; others than small ones are left out. */
    public void add(List<Long> inos) throws IOException {
        for (int from = 0; from < inos.size() && !listener.stopped(); from += SmallFiles.FILES_MAX) {
            var some = inos.subList(from, Math.min(from + SmallFiles.FILES_MAX, inos.size()));
            keep(look(some));
            count(gathered.add(some));
            listener.looked(some.size());
            if (window.size() >= WINDOW) {
                work(window.size() >= WINDOW_MAX);
            }
        }
    }

    /** Files with a damaged row are left out, and no others for their sake. */
    private SmallFiles.Found look(List<Long> inos) throws IOException {
        try {
            return table.look(inos, sizeMax());
        } catch (MetaDamagedException damaged) {
            var files = new ArrayList<Small>();
            var used = new HashMap<Long, Use>();
            for (long ino : inos) {
                try {
                    var one = table.look(List.of(ino), sizeMax());
                    files.addAll(one.files());
                    used.putAll(one.blocks());
                } catch (MetaDamagedException bad) {
                    failed.add(ino);
                }
            }
            return new SmallFiles.Found(files, used);
        }
    }

    private void keep(SmallFiles.Found found) {
        if (counted.size() > REMEMBERED_MAX) {
            counted.clear();
        }
        for (var file : found.files()) {
            if (window.putIfAbsent(file.ino(), file) == null) {
                shared += isShared(file, found.blocks()) ? 1 : 0;
                report = report.plusFile();
                file.extents().stream().map(Extent::block).filter(counted::add).forEach(block ->
                        report = report.plusBlock(PackingReport.Cost.of(use(found.blocks(), block).extents())));
            }
        }
        blocks.putAll(found.blocks());
    }

    private static Use use(Map<Long, Use> blocks, long block) {
        return Objects.requireNonNull(blocks.get(block));
    }

    /** Whether it has a small block that other files have, too: more extents name it than such a block has files. */
    private boolean isShared(Small file, Map<Long, Use> used) {
        return file.extents().stream().map(extent -> use(used, extent.block()))
                .anyMatch(use -> use.found() || use.extents() > 1 && use.block().rawSize() <= file.size());
    }

    /** Packs what is left, and says what was done. */
    public PackingReport end() throws IOException {
        count(gathered.end());
        work(true);
        return report.withLeft(shared, failed.size());
    }

    /** Packs the window, except for its last group, which may go on, unless {@code all} of it is due. */
    private void work(boolean all) throws IOException {
        var candidates = window.values().stream().filter(file -> rules.kept() || !file.kept()).toList();
        var groups = choice.groups(candidates, blocks, chunks::policy);
        var due = all || groups.isEmpty() ? groups : groups.subList(0, groups.size() - 1);
        for (var group : due) {
            if (!listener.stopped() && group.isWorthIt(rules.blocksMin())) {
                pack(group);
            }
        }
        forgetBefore(all || groups.isEmpty() ? -1 : groups.getLast().files().getFirst().ino());
    }

    /** Forgets the files before this one, -1 for all. */
    private void forgetBefore(long first) {
        for (var inos = window.keySet().iterator(); inos.hasNext() && inos.next() != first; ) {
            inos.remove();
        }
        var used = new HashSet<Long>();
        window.values().forEach(file -> file.extents().forEach(extent -> used.add(extent.block())));
        blocks.keySet().retainAll(used);
    }

    private void pack(PackingChoice.Group group) throws IOException {
        if (rules.dry()) {
            count(group.files(), group.blocks());
            return;
        }
        var hold = held.take();   // blocks that die from now on stay readable
        try {
            var files = new ArrayList<>(group.files());
            var packer = chunks.packer();
            var stored = Optional.<Packer.Repack>empty();
            while (stored.isEmpty() && !files.isEmpty() && !listener.stopped()) {
                try {
                    stored = packer.repack(files.stream().map(this::parts).toList(), files.getFirst().ino(),
                            rules.parallel() ? chunks.executor() : NO_THREADS, listener::stopped);
                } catch (Packer.UnreadablePartException unreadable) {
                    drop(files, unreadable);
                }
            }
            if (stored.isPresent()) {
                commit(packer, files, stored.get());
            }
        } finally {
            held.release(hold);
        }
    }

    /** Leaves out files that cannot be read. If none of several can, this is no matter of files. */
    private void drop(List<Small> files, Packer.UnreadablePartException unreadable) throws IOException {
        if (unreadable.numbers().size() == files.size() && files.size() > 1) {
            throw unreadable;
        }
        for (int number : unreadable.numbers().reversed()) {
            var file = files.remove(number);
            if (look(List.of(file.ino())).files().contains(file)) {   // else it was changed or removed meanwhile
                failed.add(file.ino());
            }
        }
    }

    /** Runs nothing: the reads are left to the caller. */
    private static final Executor NO_THREADS = task -> {};

    private List<Packer.StoredPart> parts(Small file) {
        return file.extents().stream()
                .map(extent -> new Packer.StoredPart(extent, use(blocks, extent.block()).block())).toList();
    }

    /** Moves the files, some at a time; if none could be moved, the block is deleted. */
    private void commit(Packer packer, List<Small> files, Packer.Repack stored) throws IOException {
        var moved = new HashMap<Long, Attributes>();
        var batch = new ArrayList<FileMoves>();
        int moves = 0;
        for (int i = 0; i < files.size(); i++) {
            var mine = stored.moves().get(i);
            if (moves + mine.size() > SmallFiles.FILES_MAX) {
                moved.putAll(commit(packer, stored, moved.isEmpty(), batch));
                batch.clear();
                moves = 0;
            }
            batch.add(new FileMoves(files.get(i).ino(), mine));
            moves += mine.size();
        }
        moved.putAll(commit(packer, stored, moved.isEmpty(), batch));
        if (moved.isEmpty()) {
            chunks.discard(stored.block());
            return;
        }
        var done = files.stream().filter(file -> moved.containsKey(file.ino())).toList();
        var stay = new HashSet<Long>();
        files.stream().filter(file -> !moved.containsKey(file.ino()))
                .forEach(file -> file.extents().forEach(extent -> stay.add(extent.block())));
        var gone = new HashSet<Long>();
        done.forEach(file -> file.extents().forEach(extent -> gone.add(extent.block())));
        gone.removeAll(stay);
        count(done, gone);
        listener.stored(stored.block().rawSize());
    }

    private Map<Long, Attributes> commit(Packer packer, Packer.Repack stored, boolean fresh, List<FileMoves> batch)
            throws IOException {
        return batch.isEmpty() ? Map.of() : GatheredPacking.committing(packer, coherence,
                batch.stream().map(FileMoves::ino).toList(), inos -> table.move(stored.block(), fresh,
                        batch.stream().filter(file -> inos.contains(file.ino())).toList()));
    }

    private void count(List<GatheredPacking.Moved> stored) {
        for (var moved : stored) {
            report = report.plusGathered(moved.files(), moved.bytes());
        }
    }

    private void count(List<Small> done, Set<Long> gone) {
        var cost = new PackingReport.Cost(0, 0);
        for (long block : gone) {
            cost = cost.plus(PackingReport.Cost.of(use(blocks, block).extents()));
        }
        report = report.plusPacked(done.size(), cost, done.stream().mapToLong(Small::bytes).sum(),
                done.stream().filter(Small::kept).mapToLong(Small::bytes).sum());
    }
}
