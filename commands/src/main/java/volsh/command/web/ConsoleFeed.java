package volsh.command.web;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import volsh.command.failure.Diagnosis;
import volsh.command.render.Json;

/**
 * Asks the commands of all panels again and again, each panel in a thread of its own, and hands what they answer to
 * everybody who listens. A listener that joins gets the history and the newest answer of every panel at once. While
 * nobody listens, only the panels with a history are asked.
 */
final class ConsoleFeed implements AutoCloseable {
    static final Duration HISTORY = Duration.ofMinutes(5);
    /**
     * A listener that is this many messages behind is dropped: memory stays bounded, and a browser connects again by
     * itself.
     */
    private static final int BEHIND_MAX = 500;

    /** Runs a command and returns its answer as JSON. */
    interface Asker {
        String json(List<String> words) throws Exception;
    }

    private record Past(Instant time, String message) {}

    private final List<Panel> panels;
    private final Asker asker;
    private final InstantSource clock;
    private final Map<String, String> newest = new LinkedHashMap<>();
    private final Deque<Past> history = new ArrayDeque<>();
    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private boolean closed;

    ConsoleFeed(List<Panel> panels, Asker asker, InstantSource clock) {
        this.panels = List.copyOf(panels);
        this.asker = asker;
        this.clock = clock;
    }

    /** One who looks at the console: a queue of messages. */
    final class Listener implements AutoCloseable {
        private final BlockingQueue<String> messages = new LinkedBlockingQueue<>(BEHIND_MAX);
        private volatile boolean dropped;

        /** Waits for the next message; null if there is none within {@code time}. */
        String next(Duration time) throws InterruptedException {
            return messages.poll(time.toNanos(), java.util.concurrent.TimeUnit.NANOSECONDS);
        }

        boolean isDropped() {
            return dropped;
        }

        private void offer(String message) {
            if (!messages.offer(message)) {
                dropped = true;
                listeners.remove(this);
            }
        }

        @Override
        public void close() {
            listeners.remove(this);
        }
    }

    void start() {
        panels.forEach(panel -> Thread.ofPlatform().daemon().name("console-" + panel.name()).start(() -> watch(panel)));
    }

    synchronized Listener join() {
        var listener = new Listener();
        if (listeners.isEmpty()) {
            newest.clear();   // as old as the last viewer: a page says that it asks rather than what was so then
        }
        listener.offer("{\"panel\":\"history\",\"messages\":[%s]}"
                .formatted(String.join(",", history.stream().map(Past::message).toList())));
        newest.values().forEach(listener::offer);
        listeners.add(listener);
        notifyAll();   // panels that rested without viewers
        return listener;
    }

    int listeners() {
        return listeners.size();
    }

    private void watch(Panel panel) {
        try {
            while (awaitTurn(panel)) {
                publish(panel, answers(panel));
                rest(panel.every());
            }
        } catch (InterruptedException stopped) {
            // with the process
        }
    }

    /** Waits for a viewer; false when the console has ended. */
    private synchronized boolean awaitTurn(Panel panel) throws InterruptedException {
        while (!closed && !panel.always() && listeners.isEmpty()) {
            wait();
        }
        return !closed;
    }

    private synchronized void rest(Duration time) throws InterruptedException {
        long until = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0 && !closed; left = until - System.nanoTime()) {
            wait(left / 1_000_000, (int) (left % 1_000_000));
        }
    }

    private List<String> answers(Panel panel) {
        var answers = new ArrayList<String>();
        try {
            for (var words : panel.commands().now()) {
                answers.add(answer(words));
            }
        } catch (Exception failed) {
            answers.add(failure(failed, ""));
        }
        return answers;
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

    private synchronized void publish(Panel panel, List<String> answers) {
        var now = clock.instant();
        String message = "{\"panel\":%s,\"time\":%d,\"answers\":[%s]}"
                .formatted(Json.of(panel.name()), now.toEpochMilli(), String.join(",", answers));
        if (panel.always()) {
            history.add(new Past(now, message));
            while (history.getFirst().time().isBefore(now.minus(HISTORY))) {
                history.removeFirst();
            }
        } else {
            newest.put(panel.name(), message);
        }
        listeners.forEach(listener -> listener.offer(message));
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
