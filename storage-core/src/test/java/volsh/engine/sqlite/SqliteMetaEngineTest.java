package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.engine.MetaEngineContract.done;
import static volsh.engine.MetaEngineContract.key;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.engine.MetaEngine;
import volsh.engine.MetaEngineContract;
import volsh.engine.MetaEngineRaces;

final class SqliteMetaEngineTest implements MetaEngineContract, MetaEngineRaces {
    @TempDir
    Path directory;

    @Override
    public MetaEngine open() throws IOException {
        var path = directory.resolve("odd name? #%20é.db");
        return Files.exists(path) ? SqliteMetaEngine.open(path) : SqliteMetaEngine.create(path);
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public int rounds() {
        return Boolean.getBoolean("volsh.long") ? 5_000 : 200;
    }

    /** Whatever the first thing is that a read looks at: a row, one that is not there, or several. */
    @Test
    void aReadKeepsToTheStateItBeganWith() throws Exception {
        try (var engine = open(); var writer = Executors.newSingleThreadExecutor()) {
            MetaEngineContract.put(engine, "there", "1");
            MetaEngineContract.put(engine, "empty", "");
            var firsts = List.<MetaEngine.Work<Object>>of(
                    tx -> MetaEngineContract.text(tx.get(key("there"))), tx ->
                    MetaEngineContract.text(tx.get(key("absent"))), tx -> MetaEngineContract.text(tx.get(key("empty"))),
                    tx -> MetaEngineContract.names(tx.scan(key("a"), key("z"), 9)));
            for (var first : firsts) {
                for (int round = 0; round < 3; round++) {
                    var name = "later" + firsts.indexOf(first) + round;
                    engine.read(tx -> {
                        var before = first.run(tx);
                        get(writer.submit(() -> done(() -> MetaEngineContract.put(engine, name, "new"))));
                        assertThat(tx.get(key(name))).isNull();
                        assertThat(first.run(tx)).isEqualTo(before);
                        return null;
                    });
                    assertThat(MetaEngineContract.read(engine, name)).isEqualTo("new");
                }
            }
            assertThat(MetaEngineContract.read(engine, "empty")).isEmpty();
            assertThat(MetaEngineContract.read(engine, "absent")).isNull();
        }
    }

    private static void get(Future<?> done) throws IOException {
        try {
            done.get();
        } catch (InterruptedException | ExecutionException failed) {
            throw new IOException(failed);
        }
    }

    @Override
    public void afterClose(int acknowledged, int begun) throws Exception {
        try (var engine = open()) {
            assertThat(MetaEngineContract.count(engine, "n")).isBetween((long) acknowledged, (long) begun);
        }
    }
}
