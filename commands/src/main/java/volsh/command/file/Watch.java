package volsh.command.file;

import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import volsh.catalog.VolumePath;
import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.fs.DamagedException;
import volsh.transfer.Observer;
import volsh.transfer.Survey;
import volsh.unit.ByteSize;
import volsh.unit.Count;

/** Shows the progress of a transfer, warns of failures as they happen, and forwards cancellation. */
public final class Watch implements Observer, AutoCloseable {
    private final Session session;
    private final Cancellation cancellation;
    private final Progress progress;
    private final boolean ofFiles;
    private final LongAdder files = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder skipped = new LongAdder();
    private volatile long totalFiles = -1;
    private volatile @Nullable Failure alone;
    private volatile boolean moved;
    private boolean failedBefore;
    private volatile boolean damaged;
    private volatile boolean ended;

    /** A file that was not copied, and why. */
    public record Failure(String path, IOException reason) {
        /** The failure as an exception. */
        public Exception exception() {
            return Trouble.with(path, reason);
        }
    }

    /** Shows nothing. */
    Watch(Session session) {
        this(session, Progress.HIDDEN);
    }

    private Watch(Session session, Progress progress) {
        this(session, progress, false);
    }

    /** {@code ofFiles}: the progress counts files, not bytes. */
    private Watch(Session session, Progress progress, boolean ofFiles) {
        this.ofFiles = ofFiles;
        this.session = session;
        this.cancellation = session.cancellation();
        this.progress = progress;
    }

    /** Shows bytes and their rate under this name. */
    public static Watch showing(Session session, String name) {
        return new Watch(session, session.progress(name, -1));
    }

    /** Shows the number of files under this name. */
    public static Watch counting(Session session, String name) {
        return new Watch(session, session.progressOfItems(name, -1), true);
    }

    /** Sets what there is to do, once that is known. */
    public void foreseen(long files, long bytes) {
        totalFiles = files;
        progress.totalFiles(files);
        progress.total(ofFiles ? files : bytes);
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
                totalFiles = survey.files();
                progress.totalFiles(survey.files());
                progress.total(ofFiles ? survey.files() : survey.bytes());
            }
        } catch (IOException | RuntimeException unforeseen) {
            // The transfer fails in the same way and reports it; without a total, progress shows only the amount done.
        }
    }

    @Override
    public void done(long files, long bytes) {
        progress.add(ofFiles ? files : bytes);
        progress.addFiles(files);
        this.files.add(files);
        this.bytes.add(bytes);
        if (files > 0) {
            moved = true;
            tellAlone();
        }
    }

    @Override
    public void skipped(long bytes) {
        skipped.increment();
        progress.addFiles(1);
        progress.add(bytes);
    }

    /** What to throw for this failure: a cancelled transfer says how far it came, and {@code again} continues it. */
    public Exception stopped(Exception failure, String verb, String again) {
        if (!cancellation.requested() || Diagnosis.of(failure).exit() != ExitCode.CANCELLED) {
            return failure;
        }
        return CommandFailure.of(ExitCode.CANCELLED, "CLI-0130", "cancelled")
                .detail("%s: %s%s done%s%s".formatted(verb, Count.of(files.sum(), "file"),
                        totalFiles < 0 ? "" : String.format(Locale.ROOT, " of %,d", totalFiles),
                        ofFiles ? "" : ", %s; no copy is incomplete".formatted(new ByteSize(bytes.sum())),
                        skipped.sum() == 0 ? ""
                                : ", %s up to date".formatted(Count.of(skipped.sum(), "file"))))
                .hint("to go on: " + again);
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
    public Optional<Failure> alone() {
        return Optional.ofNullable(alone);
    }

    /** The exit code of a transfer in which some files failed. */
    public ExitCode failure() {
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
