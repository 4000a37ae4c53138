package volsh.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Looks up each path by name: if others can change it, something else may be there a moment later. Cheap. */
final class NamedPathWalk implements PathWalk {
    private Path at;
    private Path next;

    NamedPathWalk(Path root) {
        this.at = root;
        this.next = root;
    }

    @Override
    public Optional<ModeAndOwner> look(Path name) throws IOException {
        next = at.resolve(name).normalize();
        try {
            return Optional.of(ModeAndOwner.of(next));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }

    @Override
    public Path next() {
        return next;
    }

    @Override
    public Path target() throws IOException {
        return Files.readSymbolicLink(next);
    }

    @Override
    public void enter() {
        at = next;
    }

    @Override
    public void restart() {
        at = at.getRoot();
    }
}
