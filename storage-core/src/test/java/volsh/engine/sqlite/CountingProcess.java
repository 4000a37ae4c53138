package volsh.engine.sqlite;

import static volsh.engine.MetaEngineContract.done;
import static volsh.engine.MetaEngineContract.key;
import static volsh.engine.MetaEngineContract.sum;
import static volsh.engine.MetaEngineContract.text;
import static volsh.engine.MetaEngineContract.value;

import java.io.IOException;
import java.nio.file.Path;
import volsh.engine.Delta;
import volsh.engine.MetaEngine;
import volsh.engine.Race;

/** Counts and moves a token, with others at the same time. Arguments: database, name, rounds. */
final class CountingProcess {
    private CountingProcess() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[2]);
        try (var engine = SqliteMetaEngine.open(Path.of(arguments[0]))) {
            System.out.println("open");
            Race.of(2, rounds, (thread, round) -> {
                engine.transact(tx -> done(() ->
                        tx.put(key("read and put"), Delta.of(sum(tx.get(key("read and put"))) + 1).row())));
                engine.transact(tx -> done(() -> tx.add(key("add"), Delta.of(1))));
                engine.transact(tx -> moveToken(tx, arguments[1] + thread));
                engine.read(CountingProcess::requireOneToken);
                if (round % 50 == 0) {
                    engine.sync();
                }
            });
        }
        System.out.println("done");
    }

    /** The token sits in one of ten rows; the work looks for it, takes it away and puts it elsewhere. */
    private static Void moveToken(MetaEngine.Transaction tx, String owner) throws IOException {
        requireOneToken(tx);
        var place = tx.scan(key("token/"), key("token0"), 10).getFirst();
        tx.delete(place.key());
        int next = (Integer.parseInt(text(place.key().bytes()).substring(6)) + 3) % 10;
        tx.put(key("token/" + next), value(owner));
        return null;
    }

    static Void requireOneToken(MetaEngine.Transaction tx) throws IOException {
        int tokens = tx.scan(key("token/"), key("token0"), 10).size();
        if (tokens != 1) {
            throw new IOException(tokens + " tokens");
        }
        return null;
    }
}
