package volsh.command.consistency;

import org.jspecify.annotations.Nullable;
import volsh.command.render.Columns;

/** A path, its policy, and the directory that sets it; without a policy the timeouts of the mount apply. */
record PolicyRow(String path, String policy, @Nullable String from) {
    static final Columns<PolicyRow> COLUMNS = Columns.of(PolicyRow.class)
            .text("path", PolicyRow::path)
            .text("policy", PolicyRow::policy)
            .text("from", PolicyRow::from);
}
