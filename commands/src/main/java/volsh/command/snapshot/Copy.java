package volsh.command.snapshot;

import java.util.List;
import java.util.Optional;
import volsh.catalog.Access;
import volsh.catalog.Moment;
import volsh.catalog.VolumePath;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.ShellWord;
import volsh.history.Trees;
import volsh.mount.Mounts;
import volsh.transfer.Survey;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.vfs.Vfs;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** A clone of a present or past file or tree within its volume; copies no data. */
record Copy(VolumePath from, VolumePath to, boolean replace) {
    /** The result. */
    record Done(String from, String to, long files, long bytes) {
        static final Columns<Done> COLUMNS = Columns.of(Done.class)
                .text("to", Done::to).text("from", Done::from).number("files", Done::files).bytes("size", Done::bytes);
    }

    Copy {
        if (!from.volume().equals(to.volume())) {
            throw CommandFailure.usage("%s and %s are in different volumes".formatted(from, to))
                    .hint("volsh cp -r " + ShellWord.of(List.of(from, to)));
        }
        if (to.moment().isPresent()) {
            throw CommandFailure.of(ExitCode.PERMISSION, "FS-0030", to + ": snapshots and past states are read-only");
        }
    }

    private boolean whole() {
        return to.path().equals("/");
    }

    /** The plan of the clone. */
    Plan plan(Session session, String verb) throws Exception {
        var survey = new Survey(() -> session.cancellation().requested());
        try (var source = source(session, verb, from.moment())) {
            survey.add(source.vfs(), source.paths().resolve(from.path(), false));
        }
        try (var target = session.service(Volumes.class).open(to.volume(), Access.NAMES, verb)) {
            if (!whole() && !replace && target.paths().place(to.path()).found().isPresent()) {
                throw taken();
            }
        }
        return Plan.of(verb, "%s as %s".formatted(from, to),
                "%s, %s, no data copied".formatted(Count.of(survey.files(), "file"), new ByteSize(survey.bytes())));
    }

    private CommandFailure taken() {
        return CommandFailure.of(ExitCode.CONFLICT, "FS-0017", to + ": file exists")
                .hint("choose another name, or look at the existing one: volsh stat " + ShellWord.of(to));
    }

    private Volume source(Session session, String verb, Optional<Moment> moment) throws Exception {
        var volumes = session.service(Volumes.class);
        return moment.isPresent() ? volumes.open(OpeningRequest.past(from.volume(), moment.get(), verb))
                : volumes.open(from.volume(), Access.NAMES, verb);
    }

    Done run(Session session, String verb) throws Exception {
        if (from.moment().isEmpty()) {
            session.service(Mounts.class).flush(from.volume());
        }
        try (var source = source(session, verb, Optional.of(from.moment().orElse(new Moment.Now())));
                var target = session.service(Volumes.class).open(to.volume(), Access.WRITE, verb);
                var watcher = new Watcher(session, verb)) {
            var copies = target.copies(source);
            if (whole()) {
                copies.restoreAll(watcher);
            } else {
                var found = source.paths().resolve(from.path(), false);
                var place = target.paths().place(to.path());
                if (found.ino() == Vfs.ROOT && replace) {
                    throw CommandFailure.usage("%s cannot replace %s".formatted(from, to));
                }
                if (!replace && place.found().isPresent()) {
                    throw taken();
                }
                copies.copy(found.ino(), place.directory(), place.name(), replace, watcher);
            }
            target.sync();
            return new Done(from.toString(), to.toString(), watcher.files, watcher.bytes);
        } catch (FsException refused) {
            throw refused.error() == FsError.EXISTS ? taken() : refused;
        }
    }

    private static final class Watcher implements Trees.Watcher, AutoCloseable {
        private final Session session;
        private final Progress progress;
        private long files;
        private long bytes;

        Watcher(Session session, String verb) {
            this.session = session;
            this.progress = session.progressOfItems(verb, -1);
        }

        @Override
        public void copied(int moreFiles, long moreBytes) {
            files += moreFiles;
            bytes += moreBytes;
            progress.add(moreFiles);
        }

        @Override
        public boolean cancelled() {
            return session.cancellation().requested();
        }

        @Override
        public void close() {
            progress.close();
        }
    }

    static String told(String done, Done copy) {
        return "%s %s from %s (%s, %s, no data copied)".formatted(done, copy.to(), copy.from(),
                Count.of(copy.files(), "file"), new ByteSize(copy.bytes()));
    }
}
