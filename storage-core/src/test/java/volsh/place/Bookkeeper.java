package volsh.place;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.memory.MemoryBlockStore;

/** Stores in memory that can be shut, and what metadata would say of them. */
final class Bookkeeper implements PlacementRecords, Members.Source {
    final Map<Integer, Shuttable> stores = new TreeMap<>();
    final Map<Long, Located> rows = new ConcurrentHashMap<>();
    final Map<Integer, String> texts = new TreeMap<>();
    final TreeSet<String> missing = new TreeSet<>();
    final Map<Long, Integer> policies = new ConcurrentHashMap<>();
    final TreeSet<Integer> leaving = new TreeSet<>();

    Bookkeeper(int count) {
        for (int i = 1; i <= count; i++) {
            stores.put(i, new Shuttable(new MemoryBlockStore()));
        }
    }

    /** A store that fails while it is shut, and answers nothing while it hangs. */
    static final class Shuttable implements Forwarding {
        private final BlockStore delegate;
        final AtomicInteger gets = new AtomicInteger();
        final AtomicInteger puts = new AtomicInteger();
        volatile boolean shut;
        private volatile boolean onlyPuts;
        private volatile CountDownLatch hanging = new CountDownLatch(0);

        void hang() {
            hanging = new CountDownLatch(1);
        }

        /** What is asked for is shown, what is put is not taken. */
        void hangInPuts() {
            hang();
            onlyPuts = true;
        }

        void goOn() {
            hanging.countDown();
        }

        Shuttable(BlockStore delegate) {
            this.delegate = delegate;
        }

        @Override
        public BlockStore delegate() {
            return delegate;
        }

        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            requireOpen();
            gets.incrementAndGet();
            if (!onlyPuts) {
                await();
            }
            return delegate.get(key, offset, target);
        }

        @Override
        public void put(BlockKey key, ByteBuffer data) throws IOException {
            requireOpen();
            puts.incrementAndGet();
            await();
            delegate.put(key, data);
        }

        @Override
        public Stream<Listed> list(String prefix) throws IOException {
            requireOpen();
            return delegate.list(prefix);
        }

        private void await() throws IOException {
            try {
                hanging.await();
            } catch (InterruptedException stopped) {
                throw new IOException(stopped);
            }
        }

        private void requireOpen() throws IOException {
            if (shut) {
                throw new IOException("shut");
            }
        }
    }

    @Override
    public List<Members.Entry> list() {
        var entries = new ArrayList<Members.Entry>();
        stores.keySet().forEach(number -> entries.add(new Members.Entry(number, "s" + number,
                List.of(number % 2 == 0 ? "even" : "odd"), leaving.contains(number))));
        return entries;
    }

    @Override
    public BlockStore open(Members.Entry entry) {
        return stores.get(entry.number());
    }

    @Override
    public void probe(BlockStore store, Members.Entry entry) throws IOException {
        stores.get(entry.number()).requireOpen();
    }

    @Override
    public Optional<Located> located(long block) {
        return Optional.ofNullable(rows.get(block));
    }

    @Override
    public int policy(long ino) {
        return policies.getOrDefault(ino, 0);
    }

    @Override
    public synchronized Optional<String> text(int number) {
        return Optional.ofNullable(texts.get(number));
    }

    @Override
    public synchronized int number(String text) {
        for (var each : texts.entrySet()) {
            if (each.getValue().equals(text)) {
                return each.getKey();
            }
        }
        texts.put(texts.size() + 1, text);
        return texts.size();
    }

    @Override
    public synchronized void missing(long block, Collection<Integer> lacking) {
        lacking.forEach(store -> missing.add(block + "@" + store));
    }

    @Override
    public synchronized void found(long block, Collection<Integer> there) {
        there.forEach(store -> missing.remove(block + "@" + store));
    }

    synchronized List<String> listed() {
        return List.copyOf(missing);
    }
}
