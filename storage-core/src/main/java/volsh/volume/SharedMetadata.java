package volsh.volume;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import volsh.disk.Disk;
import volsh.meta.MetaEngine;
import volsh.meta.postgres.PostgresMetaEngine;
import volsh.meta.postgres.PostgresUrl;

/**
 * Metadata that are not in a volume's directory here but in a database: then a file there, mode 0600, says where. It may
 * hold a password, so its content is for the engine and for nobody's eyes.
 */
record SharedMetadata(Disk disk) {
    private static final String FILE = "meta.url";

    /** Where the metadata are, if they are in a database. */
    Optional<PostgresUrl> place(Path directory) throws IOException {
        try {
            return Optional.of(PostgresUrl.of(Files.readString(directory.resolve(FILE)).strip()));
        } catch (NoSuchFileException embedded) {
            return Optional.empty();
        } catch (IllegalArgumentException nonsense) {
            throw new IOException("%s: %s".formatted(directory.resolve(FILE), nonsense.getMessage()), nonsense);
        }
    }

    /** Makes them, and writes down where before that: whoever finds the file knows what to take away. */
    MetaEngine create(Path directory, PostgresUrl url, UUID volume) throws IOException {
        write(directory, url);
        return PostgresMetaEngine.create(url, volume);
    }

    MetaEngine open(PostgresUrl url, UUID volume) throws IOException {
        return PostgresMetaEngine.open(url, volume);
    }

    /** Removes them for everybody. */
    void drop(PostgresUrl url, UUID volume) throws IOException {
        PostgresMetaEngine.drop(url, volume);
    }

    /** They are beside everything of this machine from now on. */
    void forget(Path directory) throws IOException {
        disk.delete(directory.resolve(FILE));
        disk.syncDirectory(directory);
    }

    /** Remembers where they are. */
    void write(Path directory, PostgresUrl url) throws IOException {
        disk.makeDirectories(directory);
        disk.delete(directory.resolve(FILE));
        try (var file = disk.create(directory.resolve(FILE))) {
            file.write(ByteBuffer.wrap((url.secret() + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8)), 0);
            file.sync();
        }
        disk.syncDirectory(directory);
    }
}
