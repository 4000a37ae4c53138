package volsh.command.web;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import volsh.command.render.Json;

/**
 * Asks the commands of all panels again and again, each panel in a thread of its own, and hands what they answer to
 * all listeners. A listener that joins gets the history and the newest answer of every panel at once. While there is no
 * listener, only the panels with a history are asked.
 */
final class ConsoleFeed implements AutoCloseable {
    static final Duration HISTORY = Duration.ofMinutes(5);
    private static final Duration LATE = Duration.ofSeconds(5);
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

    /** A message that a later one replaces: a part of a panel, or its lateness. */
    private record Slot(String panel, int part) {
        private static final int LATENESS = -1;

        static Slot ofLateness(Panel panel) {
            return new Slot(panel.name(), LATENESS);
        }
    }

    private final List<Panel> panels;
    private final Asker asker;
    private final InstantSource clock;
    private final Duration late;
    private final Map<Slot, String> newest = new LinkedHashMap<>();
    private final Deque<Past> history = new ArrayDeque<>();
    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private boolean closed;

    ConsoleFeed(List<Panel> panels, Asker asker, InstantSource clock) {
        this(panels, asker, clock, LATE);
    }

    /** {@code late}: viewers are told when a panel has not answered for this long. */
    ConsoleFeed(List<Panel> panels, Asker asker, InstantSource clock, Duration late) {
        this.panels = List.copyOf(panels);
        this.asker = asker;
        this.clock = clock;
        this.late = late;
    }

    /** One who looks at the console: a queue of messages. */
    final class Listener implements AutoCloseable {
        private final BlockingQueue<String> messages = new LinkedBlockingQueue<>(BEHIND_MAX);
        private volatile boolean dropped;

        /** Waits for the next message; null if there is none within {@code time}. */
        String next(Duration time) throws InterruptedException {
            return messages.poll(time.toNanos(), TimeUnit.NANOSECONDS);
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
        panels.forEach(panel -> Thread.ofVirtual().name("console-" + panel.name())
                .start(new PanelWatch(panel, this, asker, late)));
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

    /** Waits for a viewer; false when the console has ended. */
    synchronized boolean awaitTurn(Panel panel) throws InterruptedException {
        while (!closed && !panel.always() && listeners.isEmpty()) {
            wait();
        }
        return !closed;
    }

    synchronized void rest(Duration time) throws InterruptedException {
        long until = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0 && !closed; left = until - System.nanoTime()) {
            wait(left / 1_000_000, (int) (left % 1_000_000));
        }
    }

    /** @throws InterruptedException when the console has ended */
    synchronized void tellLate(Panel panel, Duration time) throws InterruptedException {
        if (closed) {
            throw new InterruptedException("the console has ended");
        }
        send(Slot.ofLateness(panel), "{\"panel\":\"late\",\"of\":%s,\"seconds\":%d}"
                .formatted(Json.of(panel.name()), time.toSeconds()));
    }

    /** Sends the answers to one of the parts of a panel. */
    synchronized void publish(Panel panel, int part, int parts, List<String> answers) {
        var now = clock.instant();
        String message = "{\"panel\":%s,\"time\":%d,\"part\":%d,\"parts\":%d,\"answers\":[%s]}"
                .formatted(Json.of(panel.name()), now.toEpochMilli(), part, parts, String.join(",", answers));
        newest.keySet().removeIf(slot ->
                slot.panel().equals(panel.name()) && (slot.part() >= parts || slot.part() == Slot.LATENESS));
        if (panel.always()) {
            history.add(new Past(now, message));
            while (history.getFirst().time().isBefore(now.minus(HISTORY))) {
                history.removeFirst();
            }
            listeners.forEach(listener -> listener.offer(message));
        } else {
            send(new Slot(panel.name(), part), message);
        }
    }

    private void send(Slot slot, String message) {
        newest.put(slot, message);
        listeners.forEach(listener -> listener.offer(message));
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
