package volsh.command.directory;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.RelativePath;
import volsh.command.RelativeWord;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Similar;
import volsh.command.render.Printable;
import volsh.command.render.Text;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** {@code use}, {@code cd} and {@code pwd}. They change nothing but where the lines of a session stand. */
public final class DirectoryWords {
    private static final int LOOKED_AT_MAX = 1_000;
    private static final String TO_BEGIN = "use VOLUME, such as: use training-data";

    private final WorkingDirectory directory;

    public DirectoryWords(WorkingDirectory directory) {
        this.directory = directory;
    }

    /** {@code use VOLUME[@SNAPSHOT]}: the root of a volume, wherever one stands. */
    public @Nullable Object use(List<String> words, Session session) throws Exception {
        if (words.size() != 1) {
            throw CommandFailure.usage("use needs a volume, such as: use training-data").hint("volsh volume list");
        }
        String word = words.getFirst();
        go(VolumePath.isOne(word) ? VolumePath.of(word) : root(word), session);
        return null;
    }

    /** {@code cd [DIRECTORY]}: without one nowhere, {@code -} back. */
    public @Nullable Object cd(List<String> words, Session session) throws Exception {
        if (words.size() > 1) {
            throw CommandFailure.usage("cd takes one directory").hint("volsh help paths");
        }
        WorkingDirectory here = directory.current();
        String word = words.isEmpty() ? "" : words.getFirst();
        if (word.isEmpty() || word.equals("..") && here.path().map(DirectoryWords::isRoot).orElse(true)) {
            here.change(Optional.empty());
        } else if (word.equals("-")) {
            back(here, session);
        } else {
            go(target(here, word), session);
        }
        return null;
    }

    private void back(WorkingDirectory here, Session session) throws Exception {
        Optional<VolumePath> previous = here.previous();
        if (previous.isPresent()) {
            go(previous.get(), session);
        } else {
            here.change(Optional.empty());
        }
        session.say(here.path().map(VolumePath::toString).map(Printable::of).orElse("no working directory"));
    }

    private static VolumePath target(WorkingDirectory here, String word) {
        if (!RelativeWord.isRelative(word)) {
            return VolumePath.of(word);
        }
        if (here.path().isPresent()) {
            return RelativePath.in(here.path().get(), word);
        }
        if (word.startsWith("/") || word.startsWith(".")) {
            throw CommandFailure.usage("'" + word + "' is in no volume: there is no working directory yet")
                    .hint(TO_BEGIN);
        }
        int slash = word.indexOf('/');
        return slash < 0 ? root(word) : root(word.substring(0, slash)).at(word.substring(slash));
    }

    private static VolumePath root(String word) {
        try {
            return VolumePath.whole(word);
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage(wrong.getMessage()).hint("volsh volume list");
        }
    }

    private static boolean isRoot(VolumePath path) {
        return path.path().equals("/");
    }

    private void go(VolumePath path, Session session) throws Exception {
        VolumePath plain = RelativePath.plain(path);
        try (Volume volume = open(plain, session)) {
            requireDirectory(volume, plain, session);
        } catch (Exception failure) {
            boolean planned = session.options().dryRun() && Diagnosis.of(failure).exit() == ExitCode.NOT_FOUND;
            if (!planned) {   // else an earlier step of the dry run may have made it
                throw failure;
            }
        }
        directory.current().change(Optional.of(plain));
    }

    private static Volume open(VolumePath path, Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        return path.moment().isEmpty() ? volumes.open(path.volume(), Access.NAMES, "cd")
                : volumes.open(OpeningRequest.past(path.volume(), path.moment().get(), "cd"));
    }

    private void requireDirectory(Volume volume, VolumePath path, Session session) throws Exception {
        try {
            if (!volume.paths().resolve(path.path()).isDirectory()) {
                throw CommandFailure.of(ExitCode.FAILED, "FS-0020", path + ": not a directory");
            }
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
            throw missing(volume, path, session);
        }
    }

    private CommandFailure missing(Volume volume, VolumePath path, Session session) throws Exception {
        var failure = CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", path + ": no such directory");
        String name = path.path().substring(path.path().lastIndexOf('/') + 1);
        for (String near : Similar.to(name, names(volume, path))) {
            failure = failure.hint("cd " + path.at(path.path().substring(0, path.path().lastIndexOf('/') + 1) + near));
        }
        boolean isVolume = session.service(Volumes.class).names().contains(name);
        return isVolume ? failure.hint("use " + name) : failure;
    }

    private static List<String> names(Volume volume, VolumePath path) throws IOException {
        try {
            int slash = Math.max(1, path.path().lastIndexOf('/'));
            long ino = volume.paths().resolve(path.path().substring(0, slash)).ino();
            return volume.vfs().list(ino, null, LOOKED_AT_MAX).stream().map(entry -> entry.name().toString()).toList();
        } catch (FsException none) {
            return List.of();
        }
    }

    /** {@code pwd}: fails if the directory is gone. */
    public Object pwd(List<String> words, Session session) throws Exception {
        if (!words.isEmpty()) {
            throw CommandFailure.usage("pwd takes no words");
        }
        VolumePath path = directory.current().path().orElseThrow(() -> CommandFailure
                .of(ExitCode.NOT_FOUND, "CLI-0033", "there is no working directory").hint(TO_BEGIN));
        Optional<CommandFailure> gone = gone(path, session);
        if (gone.isPresent()) {
            throw gone.get();
        }
        return new Text(Printable.of(path.toString()) + "\n");
    }

    /** What to say if this working directory does not exist any more; empty if it does, or if that is not known. */
    public static Optional<CommandFailure> gone(VolumePath path, Session session) {
        try (Volume volume = open(path, session)) {
            boolean there = volume.paths().resolve(path.path()).isDirectory();
            return there ? Optional.empty() : Optional.of(failure(path, "it is no directory any more"));
        } catch (Exception failed) {
            boolean missing = Diagnosis.of(failed).exit() == ExitCode.NOT_FOUND;
            return missing ? Optional.of(failure(path, reason(path, session))) : Optional.empty();
        }
    }

    private static String reason(VolumePath path, Session session) {
        try {
            boolean there = session.service(Volumes.class).names().contains(path.volume());
            return there ? path.moment().isPresent() ? "the directory or the snapshot was removed"
                    : "the directory was removed or renamed"
                    : "the volume '" + path.volume() + "' was destroyed, renamed or detached";
        } catch (Exception unknown) {
            return Diagnosis.of(unknown).message();
        }
    }

    private static CommandFailure failure(VolumePath path, String reason) {
        return CommandFailure.of(ExitCode.NOT_FOUND, "CLI-0034", "the working directory %s is gone".formatted(path))
                .detail(reason).hint("to leave it: cd");
    }
}
