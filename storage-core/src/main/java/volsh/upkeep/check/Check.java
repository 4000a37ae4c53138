package volsh.upkeep.check;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import volsh.block.BlockStore;
import volsh.engine.MetaEngine;
import volsh.fs.NoSpaceException;
import volsh.inventory.Row;
import volsh.upkeep.InodePathFinder;
import volsh.upkeep.RowTally;
import volsh.upkeep.Watcher;

/**
 * Checks a volume, possibly while it is in use. A finding during concurrent writes can be half of a change in progress,
 * so then there is a second pass, and only what both find is reported: the same row, wrong in the same way, of a file
 * that did not change meanwhile. Totals of the volume are judged only if there is no other session.
 */
public final class Check {
    private static final int PASSES_MAX = 3;

    private final MetaEngine engine;
    private final StoredBlocks stored;
    private final UUID volume;
    private final Path directory;
    private final OptionalLong own;

    /** {@code own} is the session of the check, which changes nothing; {@code directory} is for temporary files. */
    public Check(MetaEngine engine, BlockStore store, UUID volume, Path directory, OptionalLong own) {
        this(engine, StoredBlocks.in(store), volume, directory, own);
    }

    /** The same for a volume that may have several stores. */
    public Check(MetaEngine engine, StoredBlocks stored, UUID volume, Path directory, OptionalLong own) {
        this.engine = engine;
        this.stored = stored;
        this.volume = volume;
        this.directory = directory;
        this.own = own;
    }

    /** The findings, without the paths. */
    public record Seen(Findings findings, RowTally tally, int passes, boolean quiet) {}

    public CheckReport run(CheckOptions options, Watcher watcher) throws IOException {
        var seen = look(options, watcher);
        return report(options, seen, List.of());
    }

    public Seen look(CheckOptions options, Watcher watcher) throws IOException {
        var settled = new SettledFindings(engine);
        Findings stable = null;
        for (int passes = 1; ; passes++) {
            var before = users();
            Findings found;
            RowTally tally;
            try (var pass = new CheckPass(engine, stored, volume, options, directory, watcher)) {
                found = pass.run();
                tally = pass.tally();
            } catch (IOException failed) {
                throw failed.getClass() == IOException.class && NoSpaceException.isBehind(failed) ? full(failed)
                        : failed;
            }
            boolean quiet = before.others() == 0 && before.equals(users());
            if (quiet || found.count() == 0) {
                return new Seen(found, tally, passes, quiet);
            }
            stable = stable == null ? null : stable.and(found);
            if (stable != null && (stable.count() == found.count() || passes >= PASSES_MAX)) {
                return new Seen(settled.of(stable), tally, passes, false);
            }
            stable = found;
        }
    }

    /** Temporary files have no name for a message. */
    private NoSpaceException full(IOException failed) {
        return new NoSpaceException("%s: not enough space for temporary files: %s"
                .formatted(directory, failed.getMessage()), failed);
    }

    /** The number of other sessions, and of the next session: if neither changes, there was no other session. */
    private record Users(long others, long next) {}

    private Users users() throws IOException {
        long others = SmallRowsCheck.sessions(engine).stream()
                .filter(session -> own.isEmpty() || session.id() != own.getAsLong()).count();
        byte[] next = engine.survey(tx -> tx.get(new Row.NextNumber("session", 0).entry().key()));
        return new Users(others, Arrays.hashCode(next));
    }

    public CheckReport report(CheckOptions options, Seen seen, List<Finding> repaired) throws IOException {
        var where = new InodePathFinder(engine);
        var problems = new ArrayList<CheckReport.Problem>();
        for (var finding : seen.findings().list()) {
            var paths = switch (finding.damage()) {
                case ROWS_WITHOUT_INODE,
                        ENTRY_WITHOUT_INODE -> List.of(where.in(finding.number(), finding.inodes().getFirst()));
                default -> where.of(finding.inodes());
            };
            if (options.below().isEmpty() || isBelow(where, options.below().getAsLong(), finding, paths)) {
                problems.add(new CheckReport.Problem(finding, paths));
            }
        }
        var repairs = new ArrayList<CheckReport.Problem>();
        for (var finding : repaired) {
            repairs.add(new CheckReport.Problem(finding, where.of(finding.inodes())));
        }
        var counts = new EnumMap<Damage, Long>(Damage.class);
        if (options.below().isEmpty()) {
            counts.putAll(seen.findings().counts());
        } else {
            problems.forEach(problem -> counts.merge(problem.damage(), 1L, Long::sum));
        }
        long left = counts.entrySet().stream().filter(each -> !each.getKey().isHarmless())
                .mapToLong(Map.Entry::getValue).sum();
        var tally = seen.tally();
        var totals = new CheckReport.Totals(tally.inodes() - tally.directories(), tally.directories(), tally.bytes(),
                tally.extents(), tally.versions(), tally.blocks(), tally.storedBytes(), tally.bytesRead(),
                tally.blocksElsewhere(), tally.importedBytes());
        return new CheckReport(problems, counts, totals, seen.passes(), seen.quiet(), repairs, left);
    }

    private static boolean isBelow(InodePathFinder where, long top, Finding finding, List<String> paths)
            throws IOException {
        String prefix = where.of(top);
        return finding.inodes().contains(top) || finding.damage() == Damage.STORE_AWAY
                || paths.stream()
                .anyMatch(path -> prefix.equals("/") || path.equals(prefix) || path.startsWith(prefix + "/"));
    }
}
