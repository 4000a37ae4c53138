package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.engine.MetaEngineContract.delete;
import static volsh.engine.MetaEngineContract.key;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.meta.ChildJvm;

/** A writer is killed over and over: what it had acknowledged is there, whole, and the rest is not there by halves. */
@Tag("crash")
final class SqliteKillTest {
    private static final int KILLS = Boolean.getBoolean("volsh.long") ? 200 : 5;

    @TempDir
    Path directory;

    @Test
    void whatWasAcknowledgedSurvivesAKilledProcess() throws Exception {
        long seed = System.nanoTime();
        System.out.println("whatWasAcknowledgedSurvivesAKilledProcess seed " + seed);
        var random = new Random(seed);
        var path = directory.resolve("meta.db");
        SqliteMetaEngine.create(path).close();
        var acknowledged = new ArrayList<String>();
        for (int kill = 0; kill < KILLS; kill++) {
            int before = acknowledged.size();
            writeAndKill(path, "k" + kill, random, acknowledged);
            assertThat(acknowledged.size()).as("acknowledged in round %d", kill).isGreaterThan(before);
            try (var engine = SqliteMetaEngine.open(path)) {
                assertThat(NumberedRows.wrongs(engine, acknowledged)).isEmpty();
            }
        }
        System.out.println(acknowledged.size() + " transactions acknowledged before " + KILLS + " kills");
    }

    private void writeAndKill(Path path, String prefix, Random random, List<String> acknowledged) throws Exception {
        try (var child = ChildJvm.start(directory, KilledWriter.class, path, prefix)) {
            int lines = 1 + random.nextInt(400);
            for (var line = child.line(); line != null && lines-- > 0; line = child.line()) {
                acknowledged.add(line);
            }
            Thread.sleep(0, random.nextInt(999_999));
            child.kill();
            // What the pipe still holds was acknowledged, too; only the last line may be cut.
            child.lines().stream().filter(line -> line.matches("k\\d+-\\d-\\d+")).forEach(acknowledged::add);
        }
    }

    /** The checker sees what it is there for. */
    @Test
    void aLossAndAHalfAreNoticed() throws Exception {
        try (var engine = SqliteMetaEngine.create(directory.resolve("meta.db"))) {
            NumberedRows.write(engine, "1", "0");
            NumberedRows.write(engine, "2", "0");
            assertThat(NumberedRows.wrongs(engine, List.of("1", "2"))).isEmpty();
            assertThat(NumberedRows.wrongs(engine, List.of("1", "2", "3"))).containsExactly("lost 3");
            delete(engine, "b/1");
            assertThat(NumberedRows.wrongs(engine, List.of("1", "2"))).containsExactly("half 1");
            engine.transact(tx -> {
                tx.delete(key("a/2"));
                tx.delete(key("a/1"));
                return null;
            });
            assertThat(NumberedRows.wrongs(engine, List.of())).hasSize(3);
        }
    }
}
