package volsh.command;

import java.util.ArrayList;
import java.util.List;

/** The changes a command would make, in order; empty when there is nothing to do. */
public record Plan(List<Change> changes) {
    public static final Plan NOTHING = new Plan(List.of());

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
        return new Plan(longer);
    }
}
