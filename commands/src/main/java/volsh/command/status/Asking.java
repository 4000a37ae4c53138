package volsh.command.status;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import volsh.command.failure.Diagnosis;
import volsh.unit.Span;

/**
 * A status question that a thread of its own asks; a thread that hangs is abandoned. The timeout counts from when the
 * request is sent: on a busy machine, preparing a request takes longer than a healthy store takes to answer.
 */
final class Asking {
    private final Look.Question question;
    private final Duration timeout;
    private final CompletableFuture<StatusRow> answer = new CompletableFuture<>();
    private final long began = System.nanoTime();
    private volatile long sent;
    private boolean repeated;

    Asking(Look.Question question, Duration timeout) {
        this.question = question;
        this.timeout = timeout;
        start();
    }

    private void start() {
        sent = System.nanoTime();
        Thread.ofPlatform().daemon().name("status").start(() -> {
            try {
                answer.complete(question.answer().give(() -> sent = System.nanoTime()));
            } catch (Throwable failed) {
                answer.completeExceptionally(failed);
            }
        });
    }

    /** The answer, if it arrives in time. After {@link #repeat()} the first answer counts. */
    Optional<StatusRow> await() throws InterruptedException {
        while (true) {
            long left = timeout.toNanos() - (System.nanoTime() - sent);
            try {
                return Optional.of(timed(answer.get(Math.max(1, left), TimeUnit.NANOSECONDS)));
            } catch (TimeoutException late) {
                if (System.nanoTime() - sent >= timeout.toNanos()) {
                    return Optional.empty();
                }
            } catch (ExecutionException failed) {
                var problem = Diagnosis.of(Objects.requireNonNullElse(failed.getCause(), failed));
                return Optional.of(question.failed(Health.of(problem.exit()), problem.message()));
            }
        }
    }

    private StatusRow timed(StatusRow row) {
        return repeated ? row.withAbout("%s; slow: answered after %s".formatted(row.about(),
                new Span(Duration.ofSeconds(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began))))) : row;
    }

    /** Asks again if the question may be slow to answer. */
    void repeat() {
        if (question.mayBeSlow()) {
            repeated = true;
            start();
        }
    }

    /** The row for a question without an answer. */
    StatusRow silent() {
        return question.failed(Health.UNAVAILABLE,
                (repeated ? "timed out twice after " : "timed out after ") + new Span(timeout));
    }
}
