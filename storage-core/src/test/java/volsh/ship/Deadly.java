package volsh.ship;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.PutsOnce;

/** A store on whose n-th call the process dies: before the call, or behind it but before anybody hears of it. */
final class Deadly implements Forwarding {
    private final BlockStore delegate;
    private final boolean carriedOut;
    private int callsLeft;

    /** What a death looks like from inside. */
    static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    Deadly(BlockStore delegate, int calls, boolean carriedOut) {
        this.delegate = delegate;
        this.callsLeft = calls;
        this.carriedOut = carriedOut;
    }

    private interface Call<R> {
        R run() throws IOException;
    }

    private <R> R call(Call<R> call) throws IOException {
        if (callsLeft > 0) {
            callsLeft--;
            return call.run();
        }
        if (callsLeft == 0 && carriedOut) {
            call.run();
        }
        callsLeft = -1;
        throw new Killed();
    }

    @Override
    public BlockStore delegate() {
        return delegate;
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        return call(() -> delegate.get(key, offset, target));
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        call(() -> {
            delegate.put(key, data);
            return null;
        });
    }

    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        return call(() -> PutsOnce.of(delegate).putIfAbsent(key, data));
    }

    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        for (var key : keys) {
            call(() -> {
                delegate.delete(key);
                return null;
            });
        }
    }

    @Override
    public Stream<Listed> list(String prefix) throws IOException {
        return call(() -> delegate.list(prefix));
    }
}
