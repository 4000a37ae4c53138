package volsh.command.consistency;

import volsh.command.render.Columns;

/** A path, the policy in force there, and the directory that has it; without one the mount's own timeouts are in force. */
record PolicyRow(String path, String policy, String from) {
    static final Columns<PolicyRow> COLUMNS = Columns.of(PolicyRow.class)
            .text("path", PolicyRow::path)
            .text("policy", PolicyRow::policy)
            .text("from", PolicyRow::from);
}
