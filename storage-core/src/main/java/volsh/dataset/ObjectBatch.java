package volsh.dataset;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import volsh.shard.Field;

/** Objects that are put several at a time; each appears whole. */
final class ObjectBatch implements FileBatch {
    private static final int AT_ONCE = 16;
    private static final int SMALL = 1 << 20;

    private final ObjectDirectory target;
    private final boolean replace;
    private final Deque<FutureTask<Void>> puts = new ArrayDeque<>();
    private final Set<String> added = new HashSet<>();     // since the last commit

    ObjectBatch(ObjectDirectory target, boolean replace) {
        this.target = target;
        this.replace = replace;
    }

    /** The content is read before this returns; small ones are put later. */
    @Override
    public void add(String name, Field content) throws IOException {
        if (!replace && !added.add(name)) {
            throw SingleFiles.exists(target, name);
        }
        if (content.size() > SMALL) {
            requireAbsence(name);
            try (var file = target.create(name); var in = content.open()) {
                in.transferTo(file.stream());
                file.commit();
            }
            return;
        }
        byte[] bytes;
        try (var in = content.open()) {
            bytes = in.readAllBytes();
        }
        if (puts.size() == AT_ONCE) {
            await(puts.remove());
        }
        var put = new FutureTask<Void>(() -> {
            requireAbsence(name);
            target.write(name, bytes);
            return null;
        });
        Thread.ofVirtual().name("dataset-put").start(put);
        puts.add(put);
    }

    private void requireAbsence(String name) throws IOException {
        if (!replace && target.size(name).isPresent()) {
            throw SingleFiles.exists(target, name);
        }
    }

    private static void await(FutureTask<Void> put) throws IOException {
        try {
            put.get();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("cancelled");
        } catch (ExecutionException failed) {
            switch (failed.getCause()) {
                case IOException io -> throw io;
                case RuntimeException wrong -> throw wrong;
                case null, default -> throw new IOException(failed);
            }
        }
    }

    @Override
    public void commit() throws IOException {
        while (!puts.isEmpty()) {
            await(puts.remove());
        }
        added.clear();
    }

    /** What has begun to be put is put. */
    @Override
    public void close() throws IOException {
        for (var put : puts) {
            put.cancel(true);
        }
    }
}
