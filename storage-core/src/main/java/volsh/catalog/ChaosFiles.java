package volsh.catalog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import volsh.block.BlockStore;
import volsh.disk.Disk;
import volsh.place.Chaos;
import volsh.place.Chaotic;

/**
 * Trouble that was ordered for stores of this home: a file of each, 0600, which all processes of this host look at and
 * honour until the time in it is over. So a drill that is killed ends by itself.
 */
public final class ChaosFiles {
    private final Path directory;
    private final Disk disk;
    private final InstantSource clock;

    public ChaosFiles(Path directory, Disk disk, InstantSource clock) {
        this.directory = directory;
        this.disk = disk;
        this.clock = clock;
    }

    /** The store, with whatever trouble is ordered for it. */
    public BlockStore over(String name, BlockStore store) {
        return new Chaotic(store, name, () -> find(name));
    }

    /** The trouble that is ordered now. What cannot be read is none. */
    public Optional<Chaos> find(String name) {
        try {
            var chaos = Chaos.of(Files.readString(path(name)));
            return chaos.until().isAfter(clock.instant()) ? Optional.of(chaos) : Optional.empty();
        } catch (IOException | RuntimeException none) {
            return Optional.empty();
        }
    }

    public void order(String name, Chaos chaos) throws IOException {
        disk.makeDirectories(directory);
        var draft = directory.resolve("." + name);
        disk.delete(draft);
        try (var file = disk.create(draft)) {
            file.write(ByteBuffer.wrap(chaos.toString().getBytes(StandardCharsets.UTF_8)), 0);
        }
        disk.rename(draft, path(name));
    }

    /** Ends this trouble, and no other that was ordered since. */
    public void end(String name, Chaos ordered) throws IOException {
        try {
            if (Files.readString(path(name)).equals(ordered.toString())) {
                end(name);
            }
        } catch (NoSuchFileException over) {
            // it was ended meanwhile
        }
    }

    public void end(String name) throws IOException {
        try {
            disk.delete(path(name));
        } catch (NoSuchFileException over) {
            // it is
        }
    }

    private Path path(String name) {
        return directory.resolve(name);
    }
}
