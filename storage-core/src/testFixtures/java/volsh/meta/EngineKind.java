package volsh.meta;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.UUID;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import volsh.engine.Interleaved;
import volsh.engine.MetaEngine;
import volsh.engine.memory.Interleaving;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.postgrestest.PostgresServer;

/** Where the metadata of a test is: what {@link OnEveryEngine} hands to its constructor. */
public enum EngineKind {
    MEMORY, SQLITE, POSTGRES;

    private static final Deque<AutoCloseable> OPEN = new ArrayDeque<>();   // tests of a JVM run one after the other

    /** An empty one, closed and removed after the test. */
    public MetaEngine open() throws IOException {
        var engine = switch (this) {
            case MEMORY -> new MemoryMetaEngine();
            case SQLITE -> sqlite();
            case POSTGRES -> postgres();
        };
        OPEN.push(engine);
        return engine;
    }

    /**
     * The same; what comes in between its transactions' reads and their commits, as far as the engine lets it, is the
     * test's.
     */
    public MetaEngine open(Interleaving interleaving) throws IOException {
        return switch (this) {
            case MEMORY -> new MemoryMetaEngine(interleaving);
            case SQLITE -> new Interleaved.Before(open(), interleaving);
            case POSTGRES -> new Interleaved.Within(open(), interleaving);
        };
    }

    /**
     * How many of these steps a test is to take: fewer, unless it may take long, where each is a call of a database or
     * several round trips.
     */
    public int steps(int inMemory) {
        return Boolean.getBoolean("volsh.long") ? inMemory : switch (this) {
            case MEMORY -> inMemory;
            case SQLITE -> inMemory / 3;
            case POSTGRES -> inMemory / 10;
        };
    }

    private static MetaEngine sqlite() throws IOException {
        var directory = Files.createTempDirectory("engine");
        OPEN.push(() -> delete(directory));
        return SqliteMetaEngine.create(directory.resolve("meta.db"));
    }

    /** Rows of a new name on the tests' PostgreSQL, for who closes it. */
    public static MetaEngine postgres() throws IOException {
        try {
            var url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
            return PostgresMetaEngine.create(url, UUID.randomUUID());
        } catch (InterruptedException stop) {
            throw new IllegalStateException(stop);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (var below = Files.walk(directory)) {
            below.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.deleteIfExists(path);
                } catch (IOException failed) {
                    throw new UncheckedIOException(failed);
                }
            });
        }
    }

    /** Ends what the test opened. */
    static final class Closing implements AfterEachCallback {
        @Override
        public void afterEach(ExtensionContext context) throws Exception {
            while (!OPEN.isEmpty()) {
                OPEN.pop().close();
            }
        }
    }
}
