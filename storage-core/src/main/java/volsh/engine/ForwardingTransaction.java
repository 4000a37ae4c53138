package volsh.engine;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine.Entry;
import volsh.engine.MetaEngine.Leads;
import volsh.engine.MetaEngine.Transaction;

/** A transaction in front of another one: subclasses change or note what is read or written. */
public abstract class ForwardingTransaction implements Transaction {
    protected final Transaction tx;

    protected ForwardingTransaction(Transaction tx) {
        this.tx = tx;
    }

    @Override
    public byte @Nullable [] get(MetaKey key) throws IOException {
        return tx.get(key);
    }

    @Override
    public Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException {
        return tx.getAll(keys);
    }

    @Override
    public void expect(Collection<MetaKey> keys, Leads leads) throws IOException {
        tx.expect(keys, leads);
    }

    @Override
    public List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException {
        return tx.scan(from, to, limit);
    }

    @Override
    public void put(MetaKey key, byte[] value) throws IOException {
        tx.put(key, value);
    }

    @Override
    public void delete(MetaKey key) throws IOException {
        tx.delete(key);
    }

    @Override
    public void hold(MetaKey key) throws IOException {
        tx.hold(key);
    }

    @Override
    public void add(MetaKey key, Delta delta) throws IOException {
        tx.add(key, delta);
    }

    @Override
    public int room() {
        return tx.room();
    }
}
