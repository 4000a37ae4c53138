package volsh.command.shard;

import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.dataset.shards.PackObserver;

/** Shows the progress of work on a dataset, and passes on a request to stop. */
final class Follow implements PackObserver, AutoCloseable {
    private final Session session;
    private final Progress progress;

    /** @param total bytes; negative if unknown */
    Follow(Session session, String name, long total) {
        this.session = session;
        this.progress = session.progress(name, total);
    }

    @Override
    public void packed(long bytes) {
        progress.add(bytes);
    }

    @Override
    public void check() {
        session.cancellation().check();
    }

    @Override
    public void close() {
        progress.close();
    }
}
