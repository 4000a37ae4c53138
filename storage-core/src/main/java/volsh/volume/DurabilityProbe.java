package volsh.volume;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import volsh.assembly.Replication;
import volsh.assembly.TimedStoreCall;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.catalog.Host;
import volsh.disk.Disk;
import volsh.engine.MetaEngine;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.ImportedBlock;
import volsh.inventory.JournalRow;
import volsh.inventory.Journals;
import volsh.inventory.Packs;
import volsh.journal.Journal;
import volsh.pack.PackWindows;
import volsh.ship.Shipping;
import volsh.vfs.Vfs;
import volsh.volume.Durability.State;
import volsh.writeback.JournalDirectory;

/** Finds out how safe the bytes of a file are, from the metadata, the journals and the store. */
final class DurabilityProbe {
    /** More than a journal uploads at a time. */
    private static final int LAST_BLOCKS = 8;

    private final Vfs vfs;
    private final MetaEngine engine;
    private final Shipping shipping;
    private final boolean shared;     // the metadata is not on this machine
    private final BlockStore store;   // without a journal before it
    private final Disk disk;
    private final InstantSource clock;
    private final Optional<Replication> replication;
    private final TimedStoreCall inquiry;

    DurabilityProbe(Vfs vfs, MetaEngine engine, Shipping shipping, boolean shared, BlockStore store, Disk disk,
            InstantSource clock, Optional<Replication> replication, TimedStoreCall inquiry) {
        this.replication = replication;
        this.inquiry = inquiry;
        this.vfs = vfs;
        this.engine = engine;
        this.shipping = shipping;
        this.shared = shared;
        this.store = store;
        this.disk = disk;
        this.clock = clock;
    }

    /**
     * What is in the memory of other processes they have to say themselves. If the file changes meanwhile it looks
     * again.
     */
    Durability of(long ino) throws IOException {
        while (true) {
            var before = vfs.attributes(ino);
            if (before.isRegular() && vfs.unwritten().has(ino)) {
                return Durability.buffered();
            }
            var found = committed(before);
            if (vfs.attributes(ino).version() == before.version()) {
                return found;
            }
        }
    }

    private Durability committed(Attributes file) throws IOException {
        engine.sync();
        var rows = file.isRegular() ? blocks(file) : Map.<Long, BlockRow>of();
        var blocks = rows.keySet();
        var staged = staged(blocks);
        if (staged.isPresent()) {
            return staged.get();
        }
        if (shared) {
            return new Durability(State.COMMITTED, stored(file, blocks), "");
        }
        var status = shipping.status();
        boolean shipped = status.isPresent() && (shipping.isShipped() || !shipping.touches(file.ino(), blocks));
        if (!shipped) {
            return new Durability(State.STORED, stored(file, blocks), Host.name());
        }
        boolean replicated = replication.isPresent() && replication.get().covers(rows.values());
        return new Durability(replicated ? State.REPLICATED : State.COMMITTED, status.get().time(), "");
    }

    /**
     * Since when it is in the store: since its last change, or since its last block was put, if that came later, out of
     * a journal. Asks for the few with the highest numbers: these were made last, and journals are emptied in that
     * order, some blocks at a time.
     */
    private Optional<Instant> stored(Attributes file, Set<Long> blocks) {
        var since = Instant.ofEpochSecond(0, file.ctime());
        for (long block : blocks.stream().sorted(Comparator.reverseOrder()).limit(LAST_BLOCKS).toList()) {
            var put = inquiry.ask(() -> put(block));
            if (put.isEmpty()) {
                return Optional.empty();   // that it is stored is known from the metadata, when is not
            }
            since = put.get().isAfter(since) ? put.get() : since;
        }
        return Optional.of(since);
    }

    /** When the block was put; the epoch if that is unknown. */
    private Instant put(long block) throws IOException {
        var place = new Packs(engine).find(block);
        var key = place.isPresent() ? PackWindows.key(place.get().pack()) : BlockKey.of(block);
        try (var listed = store.list(key.text())) {
            return listed.filter(one -> one.key().equals(key)).map(BlockStore.Listed::modified).findFirst()
                    .orElse(Instant.EPOCH);
        }
    }

    private Map<Long, BlockRow> blocks(Attributes file) throws IOException {
        var blocks = new HashMap<Long, BlockRow>();
        for (long from = 0; from < file.size(); ) {
            var content = vfs.content(file.ino(), from, file.size());
            blocks.putAll(content.blocks());
            from = content.complete() ? file.size() : content.extents().getLast().end();
        }
        blocks.keySet().removeIf(ImportedBlock::is);   // they are in no store of the volume
        return blocks;
    }

    /** Which of them waits longest, if any does. */
    private Optional<Durability> staged(Set<Long> blocks) throws IOException {
        var rows = blocks.isEmpty() ? List.<JournalRow>of() : new Journals(engine).list();
        Optional<Durability> worst = Optional.empty();
        for (var row : rows) {
            var since = JournalDirectory.isHere(row) ? stagedHere(row, blocks) : stagedElsewhere(row, blocks);
            if (since.isPresent()) {
                var one = new Durability(isLasting(row) ? State.STAGED : State.BUFFERED, since, row.host());
                worst = Optional.of(worst.map(one::and).orElse(one));
            }
        }
        return worst;
    }

    /**
     * Not if it is in memory, or if this host's is not where it was: then a process that runs may have it, and the next
     * one has not.
     */
    private static boolean isLasting(JournalRow row) {
        return !row.inMemory() && (JournalDirectory.isHere(row) || !row.host().equals(Host.name()));
    }

    private Optional<Instant> stagedHere(JournalRow row, Set<Long> blocks) throws IOException {
        try (var journal = Journal.open(row.id(), Path.of(row.directory()), disk, clock)) {
            return blocks.stream().filter(journal::contains).flatMap(block -> journal.since(block).stream())
                    .min(Instant::compareTo)
                    .filter(oldest -> !isStored(blocks));
        }
    }

    private Optional<Instant> stagedElsewhere(JournalRow row, Set<Long> blocks) {
        return isStored(blocks) ? Optional.empty() : Optional.of(row.oldest());
    }

    /** Are all of them in the store? A store that does not answer is not believed to have them. */
    private boolean isStored(Set<Long> blocks) {
        for (long block : blocks) {
            if (inquiry.ask(() -> store.get(BlockKey.of(block), 0, ByteBuffer.allocate(1))).isEmpty()) {
                return false;
            }
        }
        return true;
    }
}
