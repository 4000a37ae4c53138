package volsh.ship;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.engine.Delta;
import volsh.engine.ForwardingTransaction;
import volsh.engine.KeyFacts;
import volsh.engine.KeyFacts.Reach;
import volsh.engine.MetaEngine;
import volsh.engine.MetaEngine.Transaction;
import volsh.engine.MetaKey;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.ship.WriteSet.Write;

/** A transaction that collects its writes and records them at its end. One instance per run of a work. */
final class RecordingTransaction extends ForwardingTransaction {
    private final Map<MetaKey, Write> writes = new LinkedHashMap<>();
    private Reach reach = Reach.HERE;

    RecordingTransaction(Transaction tx) {
        super(tx);
    }

    @Override
    public void put(MetaKey key, byte[] value) throws IOException {
        super.put(key, value);
        note(new Write.Put(key, value));
    }

    @Override
    public void delete(MetaKey key) throws IOException {
        super.delete(key);
        note(new Write.Delete(key));
    }

    @Override
    public void add(MetaKey key, Delta delta) throws IOException {
        super.add(key, delta);
        note(switch (writes.get(key)) {
            case null -> new Write.Add(key, delta);
            case Write.Add(var _, var before) -> new Write.Add(key, before.plus(delta));
            case Write.Put(var _, var value) -> new Write.Put(key, delta.applyTo(value));
            case Write.Delete _ -> new Write.Put(key, delta.row());
        });
    }

    private void note(Write write) {
        var its = KeyFacts.reach(write.key());
        if (its != Reach.HERE) {
            writes.put(write.key(), write);
            reach = its.compareTo(reach) > 0 ? its : reach;
        }
    }

    /** Records the writes as the next change. */
    void finish(InstantSource clock) throws IOException {
        if (reach == Reach.HERE) {
            return;
        }
        var counter = Counter.parse(tx.get(LogKeys.COUNTER));
        if (!counter.on()) {
            return;
        }
        if (reach == Reach.LATER) {
            tellLater(counter);
        } else if (counter.fenced()) {
            throw new FsException(FsError.READ_ONLY, "the volume was attached elsewhere: this copy is read-only");
        } else {
            record(counter, clock);
        }
    }

    private void tellLater(Counter counter) throws IOException {
        if (!counter.untold()) {
            tx.put(LogKeys.COUNTER, counter.withUntold().toBytes());
        }
    }

    private void record(Counter counter, InstantSource clock) throws IOException {
        if (counter.untold()) {
            for (var key : KeyFacts.LATER) {
                byte[] value = tx.get(key);
                if (value != null) {
                    writes.put(key, new Write.Put(key, value));
                }
            }
        }
        byte[] set = new WriteSet(clock.instant(), List.copyOf(writes.values())).toBytes();
        var next = counter.next(set.length);
        tx.put(LogKeys.COUNTER, next.toBytes());
        write(next.last(), ByteBuffer.allocate(Integer.BYTES + set.length).putInt(set.length).put(set).array());
    }

    /** Split into rows as needed; the first begins with the total length. */
    private void write(long number, byte[] bytes) throws IOException {
        for (int at = 0, part = 0; at < bytes.length; at += MetaEngine.VALUE_MAX, part++) {
            int end = Math.min(bytes.length, at + MetaEngine.VALUE_MAX);
            tx.put(LogKeys.change(number, part),
                    at == 0 && end == bytes.length ? bytes : Arrays.copyOfRange(bytes, at, end));
        }
    }
}
