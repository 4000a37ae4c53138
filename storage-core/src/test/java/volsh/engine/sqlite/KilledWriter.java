package volsh.engine.sqlite;

import java.nio.file.Path;
import java.time.Duration;
import volsh.engine.Race;

/** Writes until it is killed, and says what was acknowledged. Arguments: database, prefix of the names. */
final class KilledWriter {
    private KilledWriter() {}

    public static void main(String[] arguments) throws Exception {
        var limits = new SqliteLimits(Duration.ofSeconds(30), Duration.ofMillis(100), 256 << 10, 1 << 20, 4);
        try (var engine = SqliteMetaEngine.open(Path.of(arguments[0]), limits)) {
            Race.of(3, Integer.MAX_VALUE, (thread, round) -> {
                var name = "%s-%d-%d".formatted(arguments[1], thread, round);
                NumberedRows.write(engine, name, "" + thread);
                if (round % 100 == 99) {
                    engine.sync();
                }
                print(name);
            });
        }
    }

    private static synchronized void print(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
