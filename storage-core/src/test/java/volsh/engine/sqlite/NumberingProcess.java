package volsh.engine.sqlite;

import static volsh.engine.MetaEngineContract.put;

import java.nio.file.Path;

/** Commits the numbers from 1 on and prints each one that is committed. Arguments: database, how many. */
final class NumberingProcess {
    private NumberingProcess() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[1]);
        for (int i = 1; i <= rounds;) {   // opened again now and then, which empties the log
            try (var engine = SqliteMetaEngine.open(Path.of(arguments[0]))) {
                do {
                    put(engine, "number", Integer.toString(i));
                    System.out.println(i);
                } while (i++ % 50 != 0 && i <= rounds);
            }
        }
    }
}
