package volsh.command.complete;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The sources by parameter label ({@code VOLUME}, {@code STORE}, …), with their last answers. Each runs on a thread of
 * its own: a source that fails or is slow returns its last answer, and no caller waits for it twice. Thread-safe once
 * it is filled.
 */
public final class CompletionSources {
    /** The timeout at a prompt: long enough for a local answer, too short to notice for a store that is down. */
    public static final Duration PROMPT_PATIENCE = Duration.ofMillis(150);
    private static final Duration ONCE_LEAST = Duration.ofMillis(600);
    private static final Duration ONCE_MOST = Duration.ofSeconds(3);
    private static final int REMEMBERED_MAX = 256;
    private static final int UNANSWERED_MAX = 16;

    private final Map<String, CompletionSource> byLabel = new LinkedHashMap<>();
    private final Map<Question, Remembered> answers = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, Remembered> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };
    private final Semaphore unanswered = new Semaphore(UNANSWERED_MAX);
    private final Duration patience;
    private volatile Optional<CompletableFuture<@Nullable Void>> late = Optional.empty();

    private record Question(CompletionSource source, String scope) {}

    public CompletionSources() {
        this(PROMPT_PATIENCE);
    }

    /** With another timeout: a process that has just started takes longer for the same answer. */
    public CompletionSources(Duration patience) {
        this.patience = patience;
    }

    /**
     * How long a process waits that was started to complete once: its first answer takes longer than its start did, and
     * on a busy machine both take longer.
     */
    public static Duration patienceAfter(Duration start) {
        Duration enough = start.multipliedBy(3);
        return enough.compareTo(ONCE_LEAST) < 0 ? ONCE_LEAST : enough.compareTo(ONCE_MOST) > 0 ? ONCE_MOST : enough;
    }

    public CompletionSources with(String label, CompletionSource source) {
        byLabel.put(label, source);
        return this;
    }

    /** Whether one of these labels or option names has a source. */
    boolean knows(List<String> labels) {
        return labels.stream().anyMatch(byLabel::containsKey);
    }

    /** The source of the first known label or option name. */
    List<Candidate> of(List<String> labels, String prefix, Map<String, String> given) {
        return labels.stream().map(byLabel::get).filter(java.util.Objects::nonNull).findFirst()
                .map(source -> ask(source, prefix, given)).orElse(List.of());
    }

    /** Asks all sources without waiting, so that the next call finds their answers. */
    public void refresh() {
        byLabel.values().stream().distinct().forEach(source -> remembered(source, source.scope("", Map.of()))
                .answer(source::ahead, Duration.ZERO, unanswered));
    }

    /** The answer of a source, or its last answer. */
    public List<Candidate> ask(CompletionSource source, String prefix) {
        return ask(source, prefix, Map.of());
    }

    private List<Candidate> ask(CompletionSource source, String prefix, Map<String, String> given) {
        var answer = remembered(source, source.scope(prefix, given))
                .answer(() -> source.candidates(prefix, given), patience, unanswered);
        late = answer.arrival().or(() -> late);
        return answer.candidates();
    }

    /** Forgets which answers were late. */
    public void begin() {
        late = Optional.empty();
    }

    /** When the answer arrives that was late since {@link #begin}; empty if none was, or it is there by now. */
    public Optional<CompletableFuture<@Nullable Void>> late() {
        return late.filter(arrival -> !arrival.isDone());
    }

    private Remembered remembered(CompletionSource source, String scope) {
        synchronized (answers) {
            return answers.computeIfAbsent(new Question(source, scope), _ -> new Remembered());
        }
    }
}
