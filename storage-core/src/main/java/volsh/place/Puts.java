package volsh.place;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import volsh.block.UnavailableException;

/**
 * Puts the parts of a block into their stores, all at once. Once enough stores have theirs, the others get another
 * second, or three times as long as that took; a store that hangs is then left behind, and not used again before it
 * answers. The memory is not the caller's, and is released when no store reads it any more.
 */
final class Puts {
    private static final long GRACE_MOST = Duration.ofSeconds(10).toNanos();
    private static final long PAUSE = Duration.ofMillis(400).toNanos();

    private final Members members;
    private final StoreThreads crew;
    private final Delays delays;

    Puts(Members members, StoreThreads crew, Delays delays) {
        this.members = members;
        this.crew = crew;
        this.delays = delays;
    }

    /**
     * Returns the stores that lack their part.
     * @throws UnavailableException if too few stores succeeded, naming the others
     */
    List<Integer> run(long block, Arrangement arrangement, List<ByteBuffer> objects, Runnable release)
            throws IOException {
        var one = new One(block, arrangement, objects, release);
        try {
            return one.run();
        } finally {
            one.leave();
        }
    }

    private record Answer(int part, @Nullable IOException failure) {}

    private final class One {
        private final long block;
        private final Arrangement arrangement;
        private final List<Part> parts;
        private final List<ByteBuffer> objects;
        private final Runnable release;
        private final AtomicInteger users = new AtomicInteger(1);   // of the memory
        private final LinkedBlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
        private final TreeSet<Integer> asked = new TreeSet<>();
        private final TreeMap<Integer, IOException> failed = new TreeMap<>();
        private final long start = System.nanoTime();
        private int done;

        One(long block, Arrangement arrangement, List<ByteBuffer> objects, Runnable release) {
            this.block = block;
            this.arrangement = arrangement;
            this.parts = arrangement.parts(block);
            this.objects = objects;
            this.release = release;
        }

        List<Integer> run() throws IOException {
            int needed = arrangement.layout().acknowledgements();
            askAll(needed);
            long end = start + delays.needed().toNanos();
            while (done < needed) {
                if (done + asked.size() < needed && System.nanoTime() - end >= 0) {
                    throw tooFew(needed);
                }
                if (!await(PAUSE)) {
                    again();
                }
            }
            long enough = System.nanoTime();
            long grace = Math.clamp(3 * (enough - start), delays.grace().toNanos(), GRACE_MOST);
            while (!asked.isEmpty() && await(enough + grace - System.nanoTime())) {
                // requests in progress
            }
            var lacking = new ArrayList<Integer>();
            asked.forEach(i -> lacking.add(parts.get(i).store()));
            failed.keySet().forEach(i -> lacking.add(parts.get(i).store()));
            return lacking;
        }

        /** Skips stores that hang in another call, as long as the others are enough. */
        private void askAll(int needed) throws IOException {
            var hanging = new ArrayList<Integer>();
            for (int i = 0; i < parts.size(); i++) {
                if (members.of(parts.get(i).store()).isOverdue()) {
                    hanging.add(i);
                }
            }
            boolean enough = parts.size() - hanging.size() >= needed;
            for (int i = 0; i < parts.size(); i++) {
                if (enough && hanging.contains(i)) {
                    failed.put(i, new UnavailableException(
                            "store %s timed out".formatted(members.of(parts.get(i).store())), null));
                } else {
                    ask(i);
                }
            }
        }

        private void again() throws IOException {
            for (int i : List.copyOf(failed.keySet())) {
                failed.remove(i);
                ask(i);
            }
        }

        private void ask(int i) throws IOException {
            var member = members.of(parts.get(i).store());
            var key = parts.get(i).key(block);
            asked.add(i);
            users.incrementAndGet();
            crew.execute(() -> {
                IOException failure = null;
                try {
                    member.put(key, objects.get(i).duplicate());
                } catch (IOException trouble) {
                    failure = trouble;
                } catch (RuntimeException | OutOfMemoryError trouble) {   // the caller waits for an answer
                    failure = new IOException(trouble);
                } finally {
                    leave();
                }
                answers.add(new Answer(i, failure));
            });
        }

        void leave() {
            if (users.decrementAndGet() == 0) {
                release.run();
            }
        }

        /** Waits up to {@code nanos} for an answer. When stores fail it waits a moment: they may come back. */
        private boolean await(long nanos) throws InterruptedIOException {
            try {
                var answer = answers.poll(Math.max(0, nanos), TimeUnit.NANOSECONDS);
                if (answer == null) {
                    return false;
                }
                asked.remove(answer.part());
                if (answer.failure() == null) {
                    done++;
                } else {
                    failed.put(answer.part(), answer.failure());
                }
                return true;
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for stores");
            }
        }

        private UnavailableException tooFew(int needed) throws IOException {
            var first = failed.values().iterator().next();
            var names = new ArrayList<String>();
            for (int i : failed.keySet()) {
                names.add(members.of(parts.get(i).store()).toString());
            }
            return new UnavailableException("block %016x (%s) needs %d of %d stores, but %s failed: %s".formatted(block,
                    arrangement.layout(), needed, parts.size(),
                    (names.size() == 1 ? "store " : "stores ") + String.join(", ", names), first.getMessage()), first);
        }
    }
}
