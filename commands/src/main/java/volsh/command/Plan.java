package volsh.command;

import java.util.ArrayList;
import java.util.List;
import volsh.command.failure.ExitCode;

/** The changes a command would make, in order, empty when there is nothing to do; and what it would end with. */
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

    /** The same of a command that would do all this, and end so. */
    public Plan ending(ExitCode end) {
        return new Plan(changes, end);
    }
}
