package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.engine.MetaEngine;
import volsh.engine.StateMark;
import volsh.meta.ChildJvm;

/** What is remembered together with a mark is never older than what a read would return, whoever commits. */
final class StateMarkTest {
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 20_000 : 400;

    @TempDir
    Path directory;

    private Path path;

    @BeforeEach
    void create() throws IOException {
        path = directory.resolve("meta.db");
        SqliteMetaEngine.create(path).close();
    }

    /** Remembers a number until the mark differs. */
    private static final class Remembering {
        private final MetaEngine engine;
        private final boolean looks;
        private StateMark mark;
        private int number;
        private int hits;

        Remembering(MetaEngine engine, boolean looks) {
            this.engine = engine;
            this.looks = looks;
        }

        int number() throws IOException {
            if (mark != null && (!looks || mark.equals(engine.stateMark()))) {
                hits++;
                return number;
            }
            var before = engine.stateMark();
            number = Integer.parseInt(read(engine, "number"));
            mark = before != null && before.equals(engine.stateMark()) ? before : null;
            return number;
        }
    }

    @Test
    void aMarkIsAnotherAfterEveryCommit() throws IOException {
        try (var engine = SqliteMetaEngine.open(path); var other = SqliteMetaEngine.open(path)) {
            put(engine, "a", "1");
            var first = engine.stateMark();
            assertThat(first).isNotNull().isEqualTo(other.stateMark());
            read(engine, "a");
            engine.sync();
            assertThat(engine.stateMark()).isEqualTo(first);
            put(other, "a", "2");
            var second = engine.stateMark();
            assertThat(second).isNotNull().isNotEqualTo(first);
            put(engine, "a", "1");
            assertThat(engine.stateMark()).isNotNull().isNotEqualTo(first).isNotEqualTo(second);
        }
    }

    /** Another process commits and says so; a process that only looks at the mark sees it. */
    @Test
    void anotherProcessIsNoticedAtOnce() throws Exception {
        try (var engine = SqliteMetaEngine.open(path)) {
            put(engine, "number", "0");
            var remembering = new Remembering(engine, true);
            var blind = new Remembering(engine, false);   // the negative control
            blind.number();
            int stale = 0;
            try (var child = ChildJvm.start(directory, NumberingProcess.class, path, ROUNDS)) {
                for (int i = 1; i <= ROUNDS; i++) {
                    int committed = Integer.parseInt(child.line());
                    assertThat(remembering.number()).isGreaterThanOrEqualTo(committed);
                    stale += blind.number() < committed ? 1 : 0;
                }
                assertThat(child.exitCode()).isZero();
            }
            assertThat(stale).as("what does not look at the mark is found out").isEqualTo(ROUNDS);
            int hits = remembering.hits;
            for (int i = 0; i < 10; i++) {
                assertThat(remembering.number()).isEqualTo(ROUNDS);
            }
            assertThat(remembering.hits).as("without commits it is remembered").isGreaterThanOrEqualTo(hits + 9);
        }
    }

    @Test
    void aClosedEngineHasNoMark() throws IOException {
        var engine = SqliteMetaEngine.open(path);
        put(engine, "a", "1");
        engine.close();
        assertThat(engine.stateMark()).isNull();
    }
}
