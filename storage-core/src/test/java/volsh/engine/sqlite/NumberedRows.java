package volsh.engine.sqlite;

import static volsh.engine.MetaEngineContract.count;
import static volsh.engine.MetaEngineContract.key;
import static volsh.engine.MetaEngineContract.text;
import static volsh.engine.MetaEngineContract.value;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import volsh.engine.Delta;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;

/** Transactions with a name, of which one can tell afterwards whether they are there, and whole. */
final class NumberedRows {
    private NumberedRows() {}

    /** Writes two rows far from each other, of which the second overwrites the thread's last, and counts. */
    static void write(MetaEngine engine, String name, String thread) throws IOException {
        engine.transact(tx -> {
            tx.put(key("a/" + name), value("x".repeat(name.hashCode() & 0x3ff)));
            tx.put(key("b/" + name), value(name));
            tx.put(key("last/" + thread), value(name));
            tx.add(key("count"), Delta.of(1));
            return null;
        });
    }

    /** What is wrong with the database: acknowledged transactions it does not have, and halves it has. */
    static List<String> wrongs(MetaEngine engine, Collection<String> acknowledged) throws IOException {
        var wrongs = new ArrayList<String>();
        var first = names(engine, "a/");
        var second = names(engine, "b/");
        acknowledged.stream().filter(name -> !first.contains(name)).forEach(name -> wrongs.add("lost " + name));
        first.stream().filter(name -> !second.contains(name)).forEach(name -> wrongs.add("half " + name));
        second.stream().filter(name -> !first.contains(name)).forEach(name -> wrongs.add("other half " + name));
        if (count(engine, "count") != first.size()) {
            wrongs.add("counted %d, not %d".formatted(count(engine, "count"), first.size()));
        }
        for (var last : engine.read(tx -> tx.scan(key("last/"), key("last0"), 100))) {
            if (!first.contains(text(last.value()))) {
                wrongs.add("a last that is none: " + text(last.value()));
            }
        }
        return wrongs;
    }

    private static TreeSet<String> names(MetaEngine engine, String prefix) throws IOException {
        var names = new TreeSet<String>();
        MetaKey from = key(prefix);
        while (from != null) {
            MetaKey start = from;
            var page = engine.read(tx -> tx.scan(start, key(prefix).afterPrefix(), 1_000));
            page.forEach(row -> names.add(text(row.key().bytes()).substring(prefix.length())));
            from = page.isEmpty() ? null : page.getLast().key().next();
        }
        return names;
    }
}
