package volsh.command.volume;

import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.upkeep.Watcher;

/** Shows the progress of work on a whole volume, phase by phase, and stops the work at Ctrl-C. */
public final class UpkeepProgress implements Watcher, AutoCloseable {
    private final Session session;
    private final Cancellation cancellation;
    private Progress progress = Progress.HIDDEN;

    public UpkeepProgress(Session session) {
        this.session = session;
        this.cancellation = session.cancellation();
    }

    @Override
    public synchronized void phase(String phase, long total) {
        progress.close();
        progress = phase.equals("blocks") ? session.progress(phase, total) : session.progressOfItems(phase, total);
    }

    @Override
    public synchronized void advanced(long amount) {
        progress.add(amount);
    }

    @Override
    public boolean cancelled() {
        return cancellation.requested();
    }

    @Override
    public synchronized void close() {
        progress.close();
        cancellation.check();
    }
}
