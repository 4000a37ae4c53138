package volsh.upkeep.check;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine;
import volsh.fs.FileKind;
import volsh.inventory.Row;
import volsh.upkeep.Cursor;
import volsh.upkeep.Watcher;

/** Filters problems found while the volume was in use: keeps those of files that have not changed since. */
final class SettledFindings {
    private static final int TRIES = 5;

    private final MetaEngine engine;
    private final long start;

    SettledFindings(MetaEngine engine) throws IOException {
        this.engine = engine;
        this.start = read(new Row.Tick(0).entry().key()) instanceof Row.Tick(long tick) ? tick : Long.MAX_VALUE;
    }

    Findings of(Findings found) throws IOException {
        var settled = new Findings();
        for (var finding : found.list()) {
            if (isSettled(finding)) {
                settled.add(finding);
            }
        }
        return settled;
    }

    private boolean isSettled(Finding finding) throws IOException {
        return switch (finding.damage()) {
            case USAGE_WRONG, QUOTA_COUNT_WRONG, NUMBER_BEHIND, TICK_BEHIND -> false;
            case DIRECTORY_COUNT_WRONG -> isMiscounted(finding.inodes().getFirst());
            default -> {
                for (long ino : finding.inodes()) {
                    if (read(Row.from('N', ino)) instanceof Row.Node node && node.since() >= start) {
                        yield false;
                    }
                }
                yield true;
            }
        };
    }

    /** Counts the entries again; the counters change with every entry that comes or goes. */
    private boolean isMiscounted(long ino) throws IOException {
        for (int i = 0; i < TRIES; i++) {
            long[] before = counters(ino);
            long[] there = new long[2];
            var from = Row.from('E', ino);
            var entries = new Cursor(engine, from, from.afterPrefix(), Watcher.NONE);
            while (entries.peek() != null) {
                there[0]++;
                there[1] += Row.of(entries.next()) instanceof Row.Entry entry && entry.kind() == FileKind.DIRECTORY
                        ? 1 : 0;
            }
            if (Arrays.equals(before, counters(ino))) {
                return before[0] != there[0] || before[1] != there[1];
            }
        }
        return false;
    }

    private long[] counters(long ino) throws IOException {
        var from = Row.from('S', ino);
        long[] sums = new long[3];
        for (var entry : engine.survey(tx -> tx.scan(from, from.afterPrefix(), 256))) {
            if (Row.of(entry) instanceof Row.DirectoryCount count) {
                for (int i = 0; i < sums.length; i++) {
                    sums[i] += count.counts().sums()[i];
                }
            }
        }
        return sums;
    }

    private @Nullable Row read(volsh.engine.MetaKey key) throws IOException {
        byte[] value = engine.survey(tx -> tx.get(key));
        return value == null ? null : Row.of(new MetaEngine.Entry(key, value));
    }
}
