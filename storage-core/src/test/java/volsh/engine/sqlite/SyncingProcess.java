package volsh.engine.sqlite;

import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import volsh.engine.MetaEngineContract.Step;
import volsh.engine.Race;

/**
 * Commits and syncs while it is traced, and marks its steps in the trace by asking for files that do not exist.
 * Arguments: database, what to do.
 */
final class SyncingProcess {
    private SyncingProcess() {}

    public static void main(String[] arguments) throws Exception {
        try (var engine = SqliteMetaEngine.open(Path.of(arguments[0]))) {
            if (arguments[1].equals("count")) {
                put(engine, "warm", "up");
                engine.sync();
                count(engine);
            } else {
                fail(engine);
            }
        }
    }

    private static void count(SqliteMetaEngine engine) throws Exception {
        mark("commits");
        for (int i = 0; i < 100; i++) {
            put(engine, "a" + i, "1");
        }
        mark("syncs-of-something");
        engine.sync();
        mark("syncs-of-nothing");
        for (int i = 0; i < 5; i++) {
            engine.sync();
        }
        mark("shared-syncs");
        Race.of(8, 10, (thread, round) -> engine.sync());
        mark("end");
    }

    /** The disk refuses to sync: says what each call then does. */
    private static void fail(SqliteMetaEngine engine) {
        report("transact", () -> put(engine, "a", "1"));
        report("sync", engine::sync);
        report("sync again", engine::sync);
        report("transact again", () -> put(engine, "a", "2"));
        report("read", () -> read(engine, "a"));
    }

    private static void report(String what, Step step) {
        try {
            step.run();
            System.out.println(what + ": fine");
        } catch (IOException refused) {
            System.out.println(what + ": " + refused.getMessage());
        }
    }

    private static void mark(String name) {
        Files.exists(Path.of("/volsh-mark-" + name));
    }
}
