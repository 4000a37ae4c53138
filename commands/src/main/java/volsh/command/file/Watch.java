package volsh.command.file;

import java.io.IOException;
import java.util.Optional;
import volsh.catalog.VolumePath;
import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.fs.DamagedException;
import volsh.transfer.Observer;
import volsh.transfer.Survey;

/** Shows how far a transfer is, tells what failed as it fails, and passes the user's wish to stop on. */
final class Watch implements Observer, AutoCloseable {
    private final Session session;
    private final Cancellation cancellation;
    private final Progress progress;
    private volatile Failure alone;
    private volatile boolean moved;
    private boolean failedBefore;
    private volatile boolean damaged;
    private volatile boolean ended;

    /** A file that was not moved, and why. */
    record Failure(String path, IOException reason) {
        /** As if it had been thrown. */
        Exception exception() {
            return Trouble.with(path, reason);
        }
    }

    /** Shows nothing. */
    Watch(Session session) {
        this(session, Progress.HIDDEN);
    }

    private Watch(Session session, Progress progress) {
        this.session = session;
        this.cancellation = session.cancellation();
        this.progress = progress;
    }

    /** Shows bytes and their rate under this name. */
    static Watch showing(Session session, String name) {
        return new Watch(session, session.progress(name, -1));
    }

    interface Surveying {
        void count(Survey survey) throws IOException;
    }

    /** Counts what there is to do on a thread of its own, so that the rest can be foreseen, while the transfer runs. */
    Watch foreseeing(Surveying surveying) {
        if (progress != Progress.HIDDEN) {
            Thread.ofPlatform().daemon().name("survey").start(() -> survey(surveying));
        }
        return this;
    }

    private void survey(Surveying surveying) {
        var survey = new Survey(() -> ended || cancellation.requested());
        try {
            surveying.count(survey);
            if (survey.isComplete()) {
                progress.total(survey.bytes());
            }
        } catch (IOException | RuntimeException unforeseen) {
            // The transfer meets the same trouble and tells it; without a total it shows only what is done.
        }
    }

    @Override
    public void done(long files, long bytes) {
        progress.add(bytes);
        if (files > 0) {
            moved = true;
            tellAlone();
        }
    }

    @Override
    public synchronized void failed(String path, IOException reason) {
        damaged |= Diagnosis.of(reason).exit() == ExitCode.INTEGRITY;
        var failure = new Failure(path, reason);
        if (!moved && !failedBefore) {
            failedBefore = true;
            alone = failure;
        } else {
            tellAlone();
            tell(failure);
        }
    }

    private void tellAlone() {
        if (alone != null) {
            synchronized (this) {
                if (alone != null) {
                    tell(alone);
                    alone = null;
                }
            }
        }
    }

    private void tell(Failure failure) {
        boolean metadata = failure.reason() instanceof DamagedException && VolumePath.isOne(failure.path());
        session.warn(failure.path() + ": " + Trouble.reason(failure.reason())
                + (metadata ? "; check it: volsh volume check " + VolumePath.of(failure.path()).volume() : ""));
    }

    /** The failure that is all that ever happened: nothing was moved, and nobody was told yet. */
    Optional<Failure> alone() {
        return Optional.ofNullable(alone);
    }

    /** How a transfer ends in which some files failed. */
    ExitCode failure() {
        return damaged ? ExitCode.INTEGRITY : ExitCode.PARTIAL;
    }

    @Override
    public boolean cancelled() {
        return cancellation.requested();
    }

    @Override
    public void close() {
        ended = true;
        progress.close();
    }
}
