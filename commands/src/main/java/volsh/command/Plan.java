package volsh.command;

import java.util.ArrayList;
import java.util.List;
import volsh.command.failure.ExitCode;

/** The changes a command would make, in order, and its exit code; empty if there is nothing to do. */
public record Plan(List<Change> changes, ExitCode exit) {
    public static final Plan NOTHING = new Plan(List.of(), ExitCode.OK);

    /** One change in plain words: {@code create}, {@code volume 'train'}, {@code 4MiB blocks, zstd:3}. */
    public record Change(String action, String target, String detail) {
        @Override
        public String toString() {
            return action + (target.isEmpty() ? "" : " " + target) + (detail.isEmpty() ? "" : " (" + detail + ")");
        }
    }

    public Plan {
        changes = List.copyOf(changes);
    }

    public static Plan of(String action, String target, String detail) {
        return NOTHING.then(action, target, detail);
    }

    public Plan then(String action, String target, String detail) {
        var longer = new ArrayList<>(changes);
        longer.add(new Change(action, target, detail));
        return new Plan(longer, exit);
    }

    /** The same plan with this exit code. */
    public Plan ending(ExitCode end) {
        return new Plan(changes, end);
    }
}
