package volsh.vfs;

import volsh.cache.Answer;
import volsh.cache.CacheUsage;
import volsh.cache.FrameCache;
import volsh.cache.FrameKey;

/**
 * Takes a block for its neighbour: what no checksum notices, because frames are checked on their way into the cache.
 */
record ConfusedCache(FrameCache delegate) implements FrameCache {
    @Override
    public Answer ask(FrameKey key, int length, int wanted) {
        return delegate.ask(new FrameKey(key.block() & ~1, key.frame()), length, wanted);
    }

    @Override
    public boolean has(FrameKey key) {
        return delegate.has(key);
    }

    @Override
    public void passed(FrameKey key, int length, int wanted) {
        delegate.passed(key, length, wanted);
    }

    @Override
    public Answer askAhead(FrameKey key, int length) {
        return delegate.askAhead(new FrameKey(key.block() & ~1, key.frame()), length);
    }

    @Override
    public void leave(FrameKey key) {
        delegate.leave(key);
    }

    @Override
    public void drop(long block) {
        delegate.drop(block);
    }

    @Override
    public boolean isOn() {
        return delegate.isOn();
    }

    @Override
    public CacheUsage usage() {
        return delegate.usage();
    }

    @Override
    public void close() {
        delegate.close();
    }
}
