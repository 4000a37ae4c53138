package volsh.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.hang.Eventually;
import volsh.meta.ChildJvm;
import volsh.meta.Sessions;

/** Who writes to a volume, and who is alone. */
@Tag("volume")
final class WriterPresenceTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    private Path file;
    private MetaEngine engine;
    private Sessions sessions;

    @BeforeEach
    void make() throws Exception {
        file = WriterPresence.file(directory);
        engine = SqliteMetaEngine.create(directory.resolve("meta.db"));
        sessions = sessions(engine);
    }

    @AfterEach
    void close() throws Exception {
        engine.close();
    }

    private static Sessions sessions(MetaEngine engine) throws Exception {
        var made = new Sessions(engine, InstantSource.system());
        made.open("host", 1, "test");
        return made;
    }

    private WriterPresence enter() throws Exception {
        return WriterPresence.enter(file, LONG, sessions);
    }

    @Test
    void twoAreNeverAlone() throws Exception {
        try (var second = enter()) {
            try (var first = enter()) {
                assertThat(first.exclude()).isFalse();
                assertThat(second.exclude()).isFalse();
            }
            assertThat(second.exclude()).isTrue();
            second.admit();
        }
    }

    @Test
    void anotherSessionIsEnoughNotToBeAlone() throws Exception {
        try (var first = enter()) {
            var other = sessions.open("host", 2, "an older program");
            assertThat(first.exclude()).isFalse();
            sessions.end(other.id());
            assertThat(first.exclude()).isTrue();
            sessions.open("host", 3, "another");
            Eventually.holds("it is noticed", first::isWaiting);
        }
    }

    @Test
    void othersWaitUntilTheyAreAdmitted() throws Exception {
        try (var first = enter()) {
            assertThat(first.exclude()).isTrue();
            assertThat(first.isWaiting()).isFalse();
            var second = CompletableFuture.supplyAsync(() -> {
                try {
                    return enter();
                } catch (Exception failed) {
                    throw new AssertionError(failed);
                }
            });
            Eventually.holds("somebody waits", first::isWaiting);
            assertThat(second).isNotDone();
            first.admit();
            Eventually.result("it enters", second).close();
        }
    }

    @Test
    void whoNeverAdmitsAnybodyIsNotWaitedForForEver() throws Exception {
        try (var first = enter()) {
            assertThat(first.exclude()).isTrue();
            try (var second = WriterPresence.enter(file, Duration.ofMillis(5), sessions)) {
                assertThat(first.isWaiting()).isTrue();
                assertThat(second.exclude()).isFalse();
            }
        }
    }

    @Test
    void otherProcessesWaitAndAKilledOneKeepsNobodyWaiting() throws Exception {
        try (var child = ChildJvm.start(directory, Alone.class, file)) {
            assertThat(child.line()).isEqualTo("alone");
            enter().close();
            Files.createFile(entered(file));
            assertThat(child.line()).isEqualTo("admitted");
            assertThat(child.line()).isEqualTo("alone");
            try (var short1 = WriterPresence.enter(file, Duration.ZERO, sessions)) {
                assertThat(short1.exclude()).as("the other process is alone").isFalse();
            }
            child.kill();
            try (var after = enter()) {
                assertThat(after.exclude()).isTrue();
            }
        }
    }

    /** Tells the other process that it may be alone again. */
    private static Path entered(Path file) {
        return file.resolveSibling("entered");
    }

    /** Is alone, admits one, and is alone again without admitting another. */
    static final class Alone {
        public static void main(String[] arguments) throws Exception {
            var file = Path.of(arguments[0]);
            try (var engine = SqliteMetaEngine.create(file.resolveSibling("other.db"));
                    var presence = WriterPresence.enter(file, LONG, sessions(engine))) {
                become(presence);
                Eventually.holds("somebody waits", presence::isWaiting);
                presence.admit();
                Eventually.holds("it has entered", () -> Files.exists(entered(file)));
                System.out.println("admitted");
                become(presence);
                System.in.read();
            }
        }

        private static void become(WriterPresence presence) {
            Eventually.holds("it is alone", presence::exclude);
            System.out.println("alone");
        }
    }
}
