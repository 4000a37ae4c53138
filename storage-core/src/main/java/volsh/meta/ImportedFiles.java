package volsh.meta;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import volsh.engine.Keys;
import volsh.engine.MetaKey;
import volsh.fs.BlockRow;
import volsh.fs.DirectoryEntry;
import volsh.fs.Extent;
import volsh.fs.FileCommit;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.ImportedBlock;
import volsh.fs.Name;
import volsh.fs.NewFile;
import volsh.fs.Owner;
import volsh.meta.ImportState.Is;

/**
 * Makes files whose bytes stay in objects of a bucket, and removes them again. A file that is anything else than an
 * object exactly as it was imported is never replaced or removed: whether it is decided in the transaction that would
 * do so. Thread-safe.
 */
public final class ImportedFiles {
    /** Files that one transaction takes at most. */
    public static final int FILES_MAX = 64;

    private static final int EXTENTS = 4;
    private static final int KEYS_EACH = 24;
    private static final int BLOCKS_AT_ONCE = 64;

    private final Namespace names;
    private final Changes changes;

    public ImportedFiles(Namespace names) {
        this.names = names;
        this.changes = names.changes();
    }

    /**
     * An object that is to be a file.
     *
     * @param object its first block; empty if the object has no bytes
     */
    public record Candidate(
            long parent, Name name, int mode, Owner owner, long mtime, int source, String key,
            Optional<ImportedBlock> object) {
        public long size() {
            return object.map(ImportedBlock::size).orElse(0L);
        }
    }

    /** What became of a candidate. */
    public enum Outcome {
        CREATED,
        /** The file is exactly this object already. */
        PRESENT,
        /** The file was an earlier state of the object, and was replaced. */
        REPLACED,
        /** The file is an earlier state of the object, and stays. */
        CHANGED,
        /** The name belongs to something else, or the file was written to. */
        TAKEN,
        /** The name belongs to a directory. */
        DIRECTORY,
        /** The directory is gone. */
        GONE,
        /** It did not fit the transaction, or needs {@link #adopt one of its own}. */
        LATER
    }

    /** A row that is written together with files: how far an import came. */
    public record Marker(MetaKey key, byte[] value) {}

    /**
     * Makes files of objects that fit one block of {@code blockMax} bytes, in one transaction, at most
     * {@link #FILES_MAX}; an outcome for each.
     */
    public List<Outcome> adoptAll(List<Candidate> candidates, int blockMax, boolean replace, Optional<Marker> marker)
            throws IOException {
        var inos = new ArrayList<Long>();
        var blocks = new ArrayList<Long>();
        for (int i = 0; i < candidates.size(); i++) {
            inos.add(names.newInode());
            blocks.add(ImportedBlock.id(names.files().newBlock()));
        }
        return changes.change(edit -> {
            var keys = new ArrayList<MetaKey>();
            candidates.forEach(each -> keys.add(Keys.entry(each.parent(), each.name())));
            candidates.stream().map(each -> Keys.node(each.parent())).distinct().forEach(keys::add);
            edit.expectChange(keys.toArray(MetaKey[]::new));
            var outcomes = new ArrayList<Outcome>();
            for (int i = 0; i < candidates.size(); i++) {
                var each = candidates.get(i);
                outcomes.add(each.size() > blockMax || edit.room() < KEYS_EACH ? Outcome.LATER
                        : adopt(edit, each, inos.get(i), blocks.get(i), replace));
            }
            if (marker.isPresent()) {
                edit.tx.put(marker.get().key(), marker.get().value());
            }
            return outcomes;
        });
    }

    private static Outcome adopt(Edit edit, Candidate candidate, long ino, long block, boolean replace)
            throws IOException {
        try {
            var there = ImportState.of(edit, edit.find(candidate.parent(), candidate.name()), EXTENTS);
            var outcome = outcome(there, candidate, replace);
            if (outcome == Outcome.CREATED || outcome == Outcome.REPLACED) {
                make(edit, candidate, ino, block);
            }
            return outcome;
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_ENTRY || refused.error() == FsError.NOT_DIRECTORY) {
                return Outcome.GONE;
            }
            throw refused;
        }
    }

    private static Outcome outcome(ImportState there, Candidate candidate, boolean replace) {
        return switch (there.is()) {
            case FREE -> Outcome.CREATED;
            case DIRECTORY -> Outcome.DIRECTORY;
            case LONG -> Outcome.LATER;
            case OTHER -> Outcome.TAKEN;
            case EMPTY -> candidate.size() == 0 ? Outcome.PRESENT : replace ? Outcome.REPLACED : Outcome.CHANGED;
            case OBJECT -> candidate.object().isPresent() && there.isExactly(candidate.object().get()) ? Outcome.PRESENT
                    : !there.isOfKey(candidate.source(), candidate.key()) ? Outcome.TAKEN
                    : replace ? Outcome.REPLACED : Outcome.CHANGED;
        };
    }

    private static void make(Edit edit, Candidate candidate, long ino, long block) throws IOException {
        Optional<Extent> extent = Optional.empty();
        if (candidate.object().isPresent()) {
            long size = candidate.size();
            edit.uses().introduce(candidate.object().get().row(block, size, ino));
            extent = Optional.of(new Extent(0, size, block, 0));
        }
        new Creation(edit).make(new NewFile(candidate.parent(), candidate.name(), candidate.mode(), candidate.owner(),
                candidate.mtime(), candidate.mtime(), Optional.empty(), extent), ino);
    }

    /** Makes a file of an object of any size, in blocks of {@code blockMax} bytes. It appears whole or not at all. */
    public Outcome adopt(Candidate candidate, int blockMax, boolean replace) throws IOException {
        while (true) {
            var there = look(candidate.parent(), candidate.name());
            var outcome = outcome(there, candidate, replace);
            if (outcome != Outcome.CREATED && outcome != Outcome.REPLACED) {
                return outcome;
            }
            long made;
            try {
                made = unnamed(candidate, blockMax);
            } catch (FsException refused) {
                if (refused.error() == FsError.NO_ENTRY || refused.error() == FsError.NOT_DIRECTORY) {
                    return Outcome.GONE;
                }
                throw refused;
            }
            boolean placed = changes.change(edit -> {
                boolean same = isStill(edit, candidate.parent(), candidate.name(), there);
                if (same) {
                    Namespace.place(edit, made, candidate.parent(), candidate.name());
                }
                return same;
            });
            if (placed) {
                return outcome;
            }
        }
    }

    private long unnamed(Candidate candidate, int blockMax) throws IOException {
        long ino = names.makeUnnamed(candidate.parent(), candidate.mode(), candidate.owner()).ino();
        var object = candidate.object().orElseThrow();
        var blocks = new ArrayList<BlockRow>();
        var extents = new ArrayList<Extent>();
        for (long at = 0; at < object.size(); at += blockMax) {
            long block = ImportedBlock.id(names.files().newBlock());
            long length = Math.min(blockMax, object.size() - at);
            blocks.add(object.at(at).row(block, length, ino));
            extents.add(new Extent(at, length, block, 0));
            if (blocks.size() == BLOCKS_AT_ONCE || at + length == object.size()) {
                names.files().commit(ino, new FileCommit(blocks, extents, at + length,
                        OptionalLong.of(candidate.mtime()), -1));
                blocks.clear();
                extents.clear();
            }
        }
        return ino;
    }

    /** What would become of this candidate now. */
    public Outcome outcome(Candidate candidate, boolean replace) throws IOException {
        return outcome(look(candidate.parent(), candidate.name()), candidate, replace);
    }

    /** What this name is. */
    public ImportState look(long parent, Name name) throws IOException {
        return changes.look(view -> ImportState.of(view, view.find(parent, name), Integer.MAX_VALUE));
    }

    /** What these entries are. */
    public List<ImportState> look(List<DirectoryEntry> entries) throws IOException {
        return changes.look(view -> {
            var found = new ArrayList<ImportState>();
            for (var entry : entries) {
                found.add(ImportState.of(view, entry, Integer.MAX_VALUE));
            }
            return found;
        });
    }

    /** Removes the name if it is still what was found there. */
    public boolean remove(long parent, Name name, ImportState found) throws IOException {
        return changes.change(edit -> {
            boolean same = found.is() == Is.OBJECT && isStill(edit, parent, name, found);
            if (same) {
                edit.holdDirectory(parent);
                new Removal(edit).unlink(parent, edit.entry(parent, name));
            }
            return same;
        });
    }

    private static boolean isStill(Edit edit, long parent, Name name, ImportState found) throws IOException {
        var entry = edit.find(parent, name);
        return found.is() == Is.FREE ? entry == null
                : entry != null && entry.ino() == found.ino() && edit.named(entry).version() == found.version();
    }
}
