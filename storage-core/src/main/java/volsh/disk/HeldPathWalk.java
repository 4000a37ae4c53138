package volsh.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import volsh.fs.NoSpaceException;

/** Opens each name and checks what it opened: what is checked is what is entered, whatever others do meanwhile. */
final class HeldPathWalk implements PathWalk {
    private final boolean makes;
    private PathDescriptor held;
    private Path at;
    private PathDescriptor looked;
    private Path next;

    /** Starts from a directory with path {@code at}; {@code makes}: creates missing directories, 0700 and durably. */
    HeldPathWalk(PathDescriptor held, Path at, boolean makes) {
        this.held = held;
        this.at = at;
        this.looked = held;
        this.next = at;
        this.makes = makes;
    }

    @Override
    public Optional<ModeAndOwner> look(Path name) throws IOException {
        next = at.resolve(name).normalize();
        try {
            looked = held.open(name, next);
        } catch (NoSuchFileException absent) {
            if (!makes) {
                throw absent;
            }
            make(name);
            looked = held.open(name, next);
        }
        return Optional.of(ModeAndOwner.opened(looked.path()));
    }

    private void make(Path name) throws IOException {
        try {
            Files.createDirectory(held.path().resolve(name), OsDisk.DIRECTORY_MODE);
        } catch (FileAlreadyExistsException anotherWasFaster) {
            // what exists now is checked as if it had existed before
        } catch (FileSystemException failed) {
            throw NoSpaceException.typed(HeldDirectory.shown(failed, held.path(), at));
        }
        try (var directory = FileChannel.open(held.path(), StandardOpenOption.READ)) {
            directory.force(true);
        }
    }

    @Override
    public Path next() {
        return next;
    }

    @Override
    public Path target() throws IOException {
        return looked.target(next);
    }

    @Override
    public void enter() {
        held = looked;
        at = next;
    }

    @Override
    public void restart() throws IOException {
        held = PathDescriptor.root();
        at = at.getRoot();
    }

    /** The current directory. */
    PathDescriptor held() {
        return held;
    }

    /** The path of the current directory, without links. */
    Path at() {
        return at;
    }
}
