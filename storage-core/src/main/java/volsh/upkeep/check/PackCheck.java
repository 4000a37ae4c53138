package volsh.upkeep.check;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine;
import volsh.inventory.Row;
import volsh.upkeep.Group;
import volsh.upkeep.SpillSort;
import volsh.upkeep.Watcher;

/** Compares the rows of packs with their blocks. */
final class PackCheck {
    private final Findings findings;
    private final CheckPass.Highest highest;
    private final Group packs;

    PackCheck(MetaEngine engine, Findings findings, CheckPass.Highest highest, Watcher watcher) {
        this.findings = findings;
        this.highest = highest;
        this.packs = new Group(engine, 'P', watcher, row -> CheckPass.report(findings, row));
    }

    void run(SpillSort.Sorted places) throws IOException {
        while (packs.hasMore() || places.peek() != null) {
            long id = places.peek() == null
                    || packs.hasMore() && Long.compareUnsigned(packs.number(), places.peek()[0]) < 0
                    ? packs.number() : places.peek()[0];
            long count = 0;
            while (places.next(id) != null) {
                count++;
            }
            compare(id, (Row.Pack) packs.next(id), count);
        }
    }

    private void compare(long id, Row.@Nullable Pack pack, long count) {
        highest.block(id);
        if (pack == null) {
            found(Damage.PACK_MISSING, id, "it contains %d blocks".formatted(count), count);
        } else if (pack.blocks() != count && (pack.blocks() >= 0 || count != 0)) {
            found(Damage.PACK_COUNT_WRONG, id, "counts %d, but has %d".formatted(pack.blocks(), count), count);
        }
    }

    private void found(Damage damage, long id, String detail, long number) {
        findings.add(new Finding(damage, "pack %016x".formatted(id), detail, Row.from('P', id), number, List.of()));
    }
}
