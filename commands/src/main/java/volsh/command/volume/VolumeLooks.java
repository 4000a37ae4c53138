package volsh.command.volume;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import volsh.command.Session;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.unit.Span;
import volsh.volume.VolumeStatus;
import volsh.volume.Volumes;

/**
 * Opens many volumes at once to read what they hold, for at most some time: those that have not answered by then are
 * unknown, however many there are and however long their databases are silent.
 */
final class VolumeLooks {
    private static final int THREADS = 4;

    /** What was found out about a volume: its state in a word, and why there is no status. */
    record Looked(Optional<VolumeStatus> status, String state, String reason) {
        boolean isUnknown() {
            return state.equals("?");
        }
    }

    private final Volumes volumes;
    private final Duration longest;
    private final Map<String, CompletableFuture<VolumeStatus>> answers = new LinkedHashMap<>();

    VolumeLooks(Volumes volumes, List<String> names, Duration longest) {
        this.volumes = volumes;
        this.longest = longest;
        names.forEach(name -> answers.put(name, new CompletableFuture<>()));
        var next = new AtomicInteger();
        for (int i = 0; i < Math.min(THREADS, names.size()); i++) {
            Thread.ofPlatform().daemon().name("volume-look").start(() -> look(names, next));
        }
    }

    /** Each thread takes the next volume; one that hangs is left behind when the time is over. */
    private void look(List<String> names, AtomicInteger next) {
        long end = System.nanoTime() + longest.toNanos();
        for (int i = next.getAndIncrement(); i < names.size() && System.nanoTime() < end; i = next.getAndIncrement()) {
            var answer = Objects.requireNonNull(answers.get(names.get(i)));
            try {
                answer.complete(volumes.status(names.get(i)));
            } catch (IOException | RuntimeException failed) {
                answer.completeExceptionally(failed);
            }
        }
    }

    /** What is known of each when all have answered or the time is over. */
    Map<String, Looked> await(Session session) throws InterruptedException {
        long end = System.nanoTime() + longest.toNanos();
        var found = new LinkedHashMap<String, Looked>();
        try (var _ = session.cancellation().interrupting()) {
            for (var answer : answers.entrySet()) {
                found.put(answer.getKey(), looked(answer.getValue(), end));
            }
        }
        return found;
    }

    private Looked looked(CompletableFuture<VolumeStatus> answer, long end) throws InterruptedException {
        try {
            var status = answer.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            return state(status);
        } catch (TimeoutException late) {
            return new Looked(Optional.empty(), "?", "no answer within " + new Span(longest));
        } catch (ExecutionException failed) {
            var problem = Diagnosis.of(failed);
            return new Looked(Optional.empty(), problem.exit() == ExitCode.INTEGRITY ? "damaged" : "unavailable",
                    problem.message());
        }
    }

    private Looked state(VolumeStatus status) {
        try {
            volumes.stores().requireDirectories(status.spec());
        } catch (IOException missing) {
            return new Looked(Optional.of(status), "unavailable", Diagnosis.of(missing).message());
        }
        try {
            volumes.settings().keys().requireAtHand(status.spec());
        } catch (IOException missing) {
            return new Looked(Optional.of(status), "locked", Diagnosis.of(missing).message());
        }
        return status.fullest().map(quota -> new Looked(Optional.of(status),
                quota.status().part() >= VolumeStatus.FULL ? "full" : "nearly full",
                "a quota is used to %d%%".formatted((long) (100 * quota.status().part()))))
                .orElse(new Looked(Optional.of(status), "ok", ""));
    }
}
