package volsh.engine.sqlite;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import volsh.engine.MetaDamagedException;
import volsh.engine.sqlite.WriteAheadLog.Mark;

/**
 * Checks the log that a killed process has left, before SQLite opens the database and cuts the log at the first damaged
 * frame: promised commits may follow it.
 *
 * <p>Two records say what was promised. The {@link LogTip} says what was synced, whatever happened since. The {@link
 * LogIndex} says what was committed, as long as the machine has not lost power: it counts if the tip was written since
 * boot, about these very files, and if no page of the log is missing, as it would be on a disk that was detached and
 * came back. They are compared only for a log with the same salts: a restarted log has other salts, and an older
 * promise does not apply to it.
 */
record LogGuard(DatabaseFile file) {
    /** @throws MetaDamagedException if commits would be lost */
    void requireWhole() throws IOException {
        try {
            if (Files.exists(file.wal()) && Files.size(file.wal()) > 0) {
                requirePromised();
            }
        } catch (NoSuchFileException | FileNotFoundException gone) {
            // another process has closed the database meanwhile, which copies the log and removes it
        }
    }

    private void requirePromised() throws IOException {
        var tip = LogTip.read(file).orElse(null);
        if (tip == null) {
            return;
        }
        boolean here = tip.isOf(file);
        if (here && tip.isInUse()) {
            return;   // nothing is recovered while other processes have the database open
        }
        require(tip.mark(), false);
        if (here) {
            var committed = new LogIndex(file.index()).mark();
            if (committed.isPresent()) {
                require(committed.get(), true);
            }
        }
    }

    private void require(Mark promised, boolean unlessLost) throws IOException {
        if (promised.frames() == 0) {
            return;
        }
        var log = new WriteAheadLog(file.wal());
        var found = log.read(promised.frames());
        boolean same = found.headed() ? found.salts() == promised.salts()
                : WriteAheadLog.isNear(found.salts(), promised.salts());
        boolean lost = unlessLost && found.foreign() > 0;
        boolean fewer = same && !lost && found.committed() < promised.frames();
        if (fewer && log.read(0).salts() == found.salts()) {   // otherwise it was restarted meanwhile
            throw damaged(found, promised.frames());
        }
    }

    private MetaDamagedException damaged(WriteAheadLog.Contents found, int promised) {
        var where = found.headed() ? "after page %d of %d".formatted(found.committed(), promised) : "in its header";
        return new MetaDamagedException(
                "%s: the log of the metadata is damaged %s; opening it would lose committed changes"
                .formatted(file.wal(), where));
    }

    boolean isDamaged() throws IOException {
        try {
            requireWhole();
            return false;
        } catch (MetaDamagedException damaged) {
            return true;
        }
    }

    /** Keeps a copy of a damaged log, so that the database can be opened without it. Empty if it is not damaged. */
    Optional<Path> setAside(String ending) throws IOException {
        if (!isDamaged()) {
            return Optional.empty();
        }
        var copy = file.wal().resolveSibling(file.wal().getFileName() + "." + ending);
        Files.copy(file.wal(), copy, StandardCopyOption.COPY_ATTRIBUTES);
        DatabaseFile.sync(copy);
        Files.delete(file.tip());
        DatabaseFile.sync(file.directory());
        return Optional.of(copy);
    }
}
