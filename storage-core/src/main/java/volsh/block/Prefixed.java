package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;

/** Keeps all blocks below a prefix of another store's keys, so that several volumes can share it. */
public record Prefixed(BlockStore delegate, String prefix) implements Forwarding {
    public Prefixed {
        if (!BlockKey.isKey(prefix)) {
            throw new IllegalArgumentException("invalid prefix of block keys: '%s'".formatted(prefix));
        }
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        return delegate.get(below(key), offset, target);
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        delegate.put(below(key), data);
    }

    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        return PutsOnce.of(delegate).putIfAbsent(below(key), data);
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        delegate.delete(below(key));
    }

    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        delegate.deleteAll(keys.stream().map(this::below).toList());
    }

    @Override
    public Stream<Listed> list(String prefix) throws IOException {
        int cut = this.prefix.length() + 1;
        return delegate.list(this.prefix + "/" + prefix)
                .map(each -> new Listed(new BlockKey(each.key().text().substring(cut)), each.size(), each.modified()));
    }

    @Override
    public List<UnfinishedPut> unfinished(String prefix) throws IOException {
        int cut = this.prefix.length() + 1;
        return delegate.unfinished(this.prefix + "/" + prefix).stream()
                .map(left -> new UnfinishedPut(left.name().substring(cut), left.bytes(), left.since(), left.writer()))
                .toList();
    }

    @Override
    public void discard(UnfinishedPut left) throws IOException {
        delegate.discard(new UnfinishedPut(prefix + "/" + left.name(), left.bytes(), left.since(), left.writer()));
    }

    private BlockKey below(BlockKey key) {
        return new BlockKey(prefix + "/" + key.text());
    }
}
