package volsh.command.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Rows;
import volsh.fs.Owner;
import volsh.fs.ShellWord;
import volsh.transfer.Put;
import volsh.transfer.Summary;
import volsh.transfer.Survey;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.vfs.Vfs;

/** Copies local files into a volume. */
final class Inward implements Transfer {
    private static final int STREAM_MODE = 0644;
    private static final int DIRECTORY_MODE = 0755;

    private final List<Operand> sources;
    private final VolumePath target;
    private final TransferOptions options;

    Inward(List<Operand> sources, VolumePath target, TransferOptions options) {
        this.sources = sources;
        this.target = target;
        this.options = options;
        options.parallel();   // fails before anything is copied
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var volumes = new OpenVolumes(session, Access.NAMES, "put")) {
            check();
            var destination = Destination.of(volumes, target, sources.size());
            var plan = Plan.NOTHING;
            for (var source : sources) {
                plan = plan.then("copy", source + " to " + shown(source, destination), extent(source));
            }
            return plan;
        }
    }

    private String shown(Operand source, Destination destination) {
        boolean into = destination instanceof Destination.Into && source instanceof Operand.Local;
        var name = into ? name(((Operand.Local) source).path()) : Optional.<Path>empty();
        return name.map(last -> PathText.below(target, last.toString())).orElse(target).toString();
    }

    private String extent(Operand source) throws IOException {
        if (!(source instanceof Operand.Local local)) {
            return "";
        }
        var survey = new Survey(() -> false);
        survey.add(real(local));
        return Count.of(survey.files(), "file") + ", " + new ByteSize(survey.bytes());
    }

    @Override
    public Outcome<Rows<Moved>> run(Session session, String verb) throws Exception {
        check();
        var began = session.clock().instant();
        try (var volumes = new OpenVolumes(session, Access.WRITE, verb); var watch = Watch.showing(session, verb)) {
            var destination = Destination.of(volumes, target, sources.size());
            if (!isStream()) {
                watch.foreseeing(this::survey);
                tellNesting(session, destination, verb);
            }
            try {
                return Moved.report(session, verb, began, copy(session, destination, watch), watch);
            } catch (Exception failed) {
                throw watch.stopped(failed, verb, again(verb, destination));
            }
        } catch (IOException failed) {
            throw Trouble.with(target.toString(), failed);
        }
    }

    /** The contents of a directory that gets another name; a name that is there now would receive the directory. */
    private String again(String verb, Destination destination) {
        boolean contents = destination instanceof Destination.As && sources.getFirst() instanceof Operand.Local local
                && Files.isDirectory(local.path()) && name(local.path()).isPresent();
        var words = new ArrayList<String>();
        sources.forEach(source -> words.add(contents ? source + "/." : source.toString()));
        words.add(target.toString());
        return options.again(verb, words);
    }

    /** {@code put -r tree vol:/tree}, typed again, makes {@code vol:/tree/tree}: which may not be meant. */
    private void tellNesting(Session session, Destination destination, String verb) {
        if (!(destination instanceof Destination.Into into) || sources.size() != 1
                || !(sources.getFirst() instanceof Operand.Local local) || !Files.isDirectory(local.path())) {
            return;
        }
        var last = name(local.path()).map(Path::toString);
        if (last.isPresent() && into.directory().name().map(Object::toString).equals(last)) {
            session.warn("%s exists: copying to %s; to update %s instead: %s".formatted(target,
                    PathText.below(target, last.get()), target, options.again(verb, List.of(local + "/.",
                    target.toString()))));
        }
    }

    private boolean isStream() {
        return sources.getFirst() instanceof Operand.Stream;
    }

    /** Fails on a wrong source before anything is copied. */
    private void check() throws IOException {
        for (var source : sources) {
            if (source instanceof Operand.Stream && sources.size() > 1) {
                throw CommandFailure.usage("'-' (standard input) must be the only source");
            }
            if (source instanceof Operand.Local local && Files.isDirectory(real(local), LinkOption.NOFOLLOW_LINKS)) {
                options.requireRecursive(local.path().toString());
            }
        }
    }

    /** Follows a link that the user named, unless trees are copied, where links stay links. */
    private Path real(Operand.Local local) throws IOException {
        boolean asItIs = options.recursive() && !local.slash() && Files.isSymbolicLink(local.path());
        var real = local.path().toRealPath(asItIs ? new LinkOption[] {LinkOption.NOFOLLOW_LINKS} : new LinkOption[0]);
        return Files.isSymbolicLink(local.path()) && !asItIs ? real : local.path();
    }

    private void survey(Survey survey) throws IOException {
        for (var source : sources) {
            survey.add(real((Operand.Local) source));
        }
    }

    private Summary copy(Session session, Destination destination, Watch watch) throws Exception {
        var owner = session.service(Owner.class);
        var volume = destination instanceof Destination.Into into ? into.directory().volume()
                : ((Destination.As) destination).place().volume();
        var given = options.keepsOwner() ? Optional.<Owner>empty() : Optional.of(owner);
        try (var put = new Put(volume.vfs(), given, options.parallel(), watch)) {
            if (options.updates()) {
                put.updating();
            }
            for (var source : sources) {
                if (source instanceof Operand.Local local) {
                    add(put, local, destination, volume.vfs(), owner);
                } else if (source instanceof Operand.Stream) {
                    stream(session, put, destination, owner);
                } else {
                    throw new IllegalStateException("not local: " + source);
                }
            }
            return put.finish();
        }
    }

    private void stream(Session session, Put put, Destination destination, Owner owner) throws IOException {
        if (!(destination instanceof Destination.As(var as))) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0021", target + ": is a directory")
                    .hint("append a file name: " + ShellWord.of(PathText.below(target, "stdin")));
        }
        put.add(session.in(), as.place().directory(), as.place().name(), STREAM_MODE, owner);
    }

    private void add(Put put, Operand.Local local, Destination destination, Vfs vfs, Owner owner) throws IOException {
        var name = name(local.path());
        var source = real(local);
        if (destination instanceof Destination.Into(var directory)) {
            long ino = directory.attributes().ino();
            if (name.isPresent()) {
                put.add(source, ino, Put.name(name.get()));
            } else {
                put.addContents(source, ino);
            }
        } else if (destination instanceof Destination.As(var as)) {
            var place = as.place();
            if (name.isPresent()) {
                put.add(source, place.directory(), place.name());
            } else {
                put.addContents(source,
                        vfs.makeDirectory(place.directory(), place.name(), DIRECTORY_MODE, owner).ino());
            }
        } else {
            throw new IllegalStateException("not in a volume: " + destination);
        }
    }

    /** The last name of the path; {@code .}, {@code ..} and the root have none and stand for their contents. */
    private static Optional<Path> name(Path path) {
        return Optional.ofNullable(path.getFileName()).filter(last -> !Set.of("", ".", "..").contains(last.toString()));
    }
}
