package volsh.command.mount;

import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import volsh.command.render.Columns;
import volsh.mount.AtRisk;
import volsh.mount.MountStats;
import volsh.mount.MountTrouble;
import volsh.unit.ByteSize;

/**
 * One mount in detail, above all what losing this host would cost: bytes in memory, in the journal, and unshipped
 * commits.
 */
record MountDetails(MountRow row, MountStats stats, String doing, Path socket, Instant now) {
    static final Columns<MountDetails> COLUMNS = Columns.of(MountDetails.class)
            .text("mountPoint", each -> each.row.mountPoint())
            .text("source", each -> each.row.source())
            .text("state", each -> each.row.state())
            .text("mode", each -> each.row.mode())
            .text("transport", each -> each.row.transport())
            .number("pid", each -> each.row.pid())
            .time("started", each -> each.row.started())
            .text("options", each -> each.row.options())
            .text("atRisk", each -> each.isKnown() ? AtRisk.of(each.stats).line(each.now) : "unknown")
            .bytes("buffered", each ->
                    each.isKnown() && each.row.dead().isEmpty() ? new ByteSize(each.stats.bufferedBytes()) : null)
            .bytes("staged", each -> each.isKnown() ? new ByteSize(each.stats.staged().bytes()) : null)
            .time("stagedSince", MountDetails::stagedSince)
            .number("unshipped", each -> each.stats.unshipped().map(MountStats.Unshipped::commits).orElse(0L))
            .time("unshippedSince", MountDetails::unshippedSince)
            .text("doing", MountDetails::doing)
            .text("socket", MountDetails::socket)
            .text("trouble", MountDetails::trouble)
            .text("next", MountDetails::next);

    /** Whether the mount's process, or its journal after the process ended, reported what it holds. */
    private boolean isKnown() {
        return stats != MountStats.NONE;
    }

    private @Nullable Instant stagedSince() {
        return stats.staged().oldest().orElse(null);
    }

    private @Nullable Instant unshippedSince() {
        return stats.unshipped().flatMap(MountStats.Unshipped::oldest).orElse(null);
    }

    /** The problems that the mount's process reports. */
    private String trouble() {
        return row.trouble();
    }

    private String next() {
        if (row.dead().isPresent()) {
            return row.dead().get().next();
        }
        return row.troubles().isEmpty() ? "" : MountTrouble.worst(row.troubles()).command();
    }
}
