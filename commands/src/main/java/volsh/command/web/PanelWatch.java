package volsh.command.web;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import volsh.command.failure.Diagnosis;
import volsh.command.render.Json;

/**
 * Asks the commands of one panel again and again, as long as the console runs. A command that does not answer delays
 * only this panel: the viewers are told so every {@code late}, and it is not asked a second time meanwhile.
 */
final class PanelWatch implements Runnable {
    /** After a part of the panel, rests this many times as long as the part took, at most {@link #REST_MAX}. */
    private static final int REST_FACTOR = 4;
    private static final Duration REST_MAX = Duration.ofSeconds(1);

    private final Panel panel;
    private final ConsoleFeed feed;
    private final ConsoleFeed.Asker asker;
    private final Duration late;
    private final ExecutorService worker;

    PanelWatch(Panel panel, ConsoleFeed feed, ConsoleFeed.Asker asker, Duration late) {
        this.panel = panel;
        this.feed = feed;
        this.asker = asker;
        this.late = late;
        this.worker = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("console-" + panel.name()).factory());
    }

    /** The commands of a round, or why there are none. */
    private record Round(List<List<List<String>>> parts, List<String> failures) {}

    @Override
    public void run() {
        try {
            while (feed.awaitTurn(panel)) {
                askAll();
                feed.rest(panel.every());
            }
        } catch (InterruptedException ended) {
            // with the console
        } finally {
            worker.shutdown();   // a command that hangs ends with the process
        }
    }

    private void askAll() throws InterruptedException {
        Round round = await(worker.submit(this::plan));
        if (!round.failures().isEmpty()) {
            feed.publish(panel, 0, 1, round.failures());
        }
        int parts = round.parts().size();
        for (int part = 0; part < parts && feed.awaitTurn(panel); part++) {
            var commands = round.parts().get(part);
            long began = System.nanoTime();
            feed.publish(panel, part, parts,
                    await(worker.submit(() -> commands.stream().map(this::answer).toList())));
            if (part + 1 < parts) {
                feed.rest(Duration.ofNanos(Math.min(REST_MAX.toNanos(), (System.nanoTime() - began) * REST_FACTOR)));
            }
        }
    }

    private <T> T await(Future<T> answer) throws InterruptedException {
        for (int times = 1; ; times++) {
            try {
                return answer.get(late.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException silent) {
                feed.tellLate(panel, late.multipliedBy(times));
            } catch (ExecutionException bug) {
                throw new IllegalStateException(bug.getCause());
            }
        }
    }

    private Round plan() {
        try {
            return new Round(panel.parts().now(), List.of());
        } catch (Exception failed) {
            return new Round(List.of(), List.of(failure(failed, "")));
        }
    }

    private String answer(List<String> words) {
        String command = "volsh " + String.join(" ", words);
        try {
            String rows = asker.json(words).strip();
            return "{\"command\":%s,\"rows\":%s}".formatted(Json.of(command), rows.isEmpty() ? "[]" : rows);
        } catch (Exception failed) {
            return failure(failed, command);
        }
    }

    private static String failure(Exception failed, String command) {
        var problem = Diagnosis.of(failed);
        return "{\"command\":%s,\"failure\":%s}".formatted(Json.of(command),
                Json.of(Map.of("message", problem.message(), "hints", problem.hints(), "exit", problem.status())));
    }
}
