package volsh.command.file;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.catalog.VolumePath;
import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.fs.DamagedException;
import volsh.transfer.Observer;
import volsh.transfer.Survey;

/** Shows the progress of a transfer, warns of failures as they happen, and forwards cancellation. */
final class Watch implements Observer, AutoCloseable {
    private final Session session;
    private final Cancellation cancellation;
    private final Progress progress;
    private volatile @Nullable Failure alone;
    private volatile boolean moved;
    private boolean failedBefore;
    private volatile boolean damaged;
    private volatile boolean ended;

    /** A file that was not copied, and why. */
    record Failure(String path, IOException reason) {
        /** The failure as an exception. */
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

    /** Counts the total on a thread of its own while the transfer runs, so that progress can show an ETA. */
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
            // The transfer fails in the same way and reports it; without a total, progress shows only the amount done.
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
                var first = alone;
                if (first != null) {
                    tell(first);
                    alone = null;
                }
            }
        }
    }

    private void tell(Failure failure) {
        boolean metadata = failure.reason() instanceof DamagedException && VolumePath.isOne(failure.path());
        session.warn(failure.path() + ": " + Trouble.reason(failure.reason())
                + (metadata ? "; to check it: volsh volume check " + VolumePath.of(failure.path()).volume() : ""));
    }

    /** The only event of a transfer that copied nothing: a failure that no warning has reported. */
    Optional<Failure> alone() {
        return Optional.ofNullable(alone);
    }

    /** The exit code of a transfer in which some files failed. */
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
