package volsh.command.complete;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The sources by parameter label ({@code VOLUME}, {@code STORE}, …). A source that fails or dawdles gives nothing. */
public final class CompletionSources {
    /** At a prompt: long enough for a local answer, short enough that nobody notices a store that is down. */
    public static final Duration PROMPT_PATIENCE = Duration.ofMillis(150);

    private final Map<String, CompletionSource> byLabel = new LinkedHashMap<>();
    private final Duration patience;

    public CompletionSources() {
        this(PROMPT_PATIENCE);
    }

    /** With another patience: a process that has just started needs more for the same answer. */
    public CompletionSources(Duration patience) {
        this.patience = patience;
    }

    public CompletionSources with(String label, CompletionSource source) {
        byLabel.put(label, source);
        return this;
    }

    List<Candidate> of(String label, String prefix) {
        CompletionSource source = byLabel.get(label);
        return source == null ? List.of() : ask(source, prefix);
    }

    private List<Candidate> ask(CompletionSource source, String prefix) {
        var answer = new CompletableFuture<List<Candidate>>();
        Thread.ofPlatform().daemon().name("completion").start(() -> {
            try {
                answer.complete(source.candidates(prefix));
            } catch (Exception failure) {
                answer.completeExceptionally(failure);
            }
        });
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException noAnswer) {
            return List.of();
        } catch (InterruptedException cancelled) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }
}
