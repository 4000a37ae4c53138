package volsh.script;

import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;

/**
 * What {@code each(onError: 'collect')} collected: a script that does not read it does not end as if all had gone well.
 */
final class CollectedFailures {
    private static final int MOST_SHOWN = 3;

    private final Queue<Collected> collected = new ConcurrentLinkedQueue<>();

    private record Collected(Batch batch, List<String> where) {}

    /** Keeps the batch if something failed in it. {@code where}: the lines that called {@code each}. */
    void add(Batch batch, List<String> where) {
        collected.removeIf(earlier -> earlier.batch().unread().isEmpty());
        if (!batch.unread().isEmpty()) {
            collected.add(new Collected(batch, where));
        }
    }

    /** The first batch whose failures were not read, as a failure of the script. */
    Optional<CommandFailure> unread(Explanation explanation) {
        return collected.stream().filter(one -> !one.batch().unread().isEmpty()).findFirst()
                .map(one -> failure(one, explanation));
    }

    private static CommandFailure failure(Collected one, Explanation explanation) {
        List<Batch.Failure> failures = one.batch().unread();
        var told = CommandFailure.of(ExitCode.PARTIAL, "SCR-0010",
                "%d of %d items failed, and the script did not read the failures"
                .formatted(failures.size(), failures.size() + one.batch().size()));
        for (Batch.Failure item : failures.subList(0, Math.min(MOST_SHOWN, failures.size()))) {
            told = told.detail("%s: %s".formatted(item.getItem(), explanation.of(item.getFailure()).getMessage()));
        }
        if (failures.size() > MOST_SHOWN) {
            told = told.detail("and %d more".formatted(failures.size() - MOST_SHOWN));
        }
        for (String line : one.where()) {
            told = told.detail(line);
        }
        return told.detail("read .failures of what each returns, or leave out onError: 'collect' to stop at the first");
    }
}
