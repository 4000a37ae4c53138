package volsh.command.consistency;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.fs.Advice;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.meta.Consistency;
import volsh.meta.PathRules;
import volsh.meta.PathRules.Rule;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/**
 * A directory or file of an open volume, and the rules of one kind that are in force there. Close it.
 *
 * @param <P> what a rule says
 */
public record RuledPath<P>(Volume volume, VolumePath path, Attributes found, PathRules<P> rules)
        implements AutoCloseable {
    /** The consistency policies. @throws FsException NOT_DIRECTORY */
    static RuledPath<Consistency> consistency(Session session, String place, Access access) throws Exception {
        var opened = open(session, VolumePath.of(place), access, "consistency",
                volume -> volume.vfs().coherence().policies());
        if (!opened.found.isDirectory()) {
            opened.close();
            throw new FsException(FsError.NOT_DIRECTORY, ("%s is not a directory: a policy applies to a directory "
                    + "and everything below it").formatted(opened.path));
        }
        return opened;
    }

    /** How files will be read. */
    public static RuledPath<Advice> advice(Session session, VolumePath path, Access access) throws Exception {
        if (path.moment().isPresent()) {
            throw CommandFailure.of(ExitCode.PERMISSION, "FS-0030", path + ": snapshots are read-only");
        }
        return open(session, path, access, "advise", volume -> volume.vfs().coherence().advice());
    }

    private static <P> RuledPath<P> open(Session session, VolumePath path, Access access, String purpose,
            Function<Volume, PathRules<P>> rules) throws Exception {
        var volume = session.service(Volumes.class).open(path.volume(), access, purpose);
        try {
            return new RuledPath<>(volume, path, volume.paths().resolve(path.path()), rules.apply(volume));
        } catch (IOException | RuntimeException failed) {
            volume.close();
            throw failed;
        }
    }

    /** Its own rule. */
    public Optional<Rule<P>> own() throws IOException {
        return rule(found.ino());
    }

    /** Whether its own rule says this. */
    public boolean isSet(P policy) throws IOException {
        return own().filter(rule -> rule.policy().equals(policy)).isPresent();
    }

    public void set(P policy) throws IOException {
        rules.set(found.ino(), path.path(), policy);
    }

    /** Removes its own rule; false if it had none. */
    public boolean unset() throws IOException {
        return rules.unset(found.ino());
    }

    /** The rule in force: its own, or that of the nearest directory above that has one. */
    public Optional<Rule<P>> inForce() throws IOException {
        var own = own();
        if (own.isPresent()) {
            return own;
        }
        long at = found.isDirectory() ? found.ino() : volume.paths().place(path.path()).directory();
        while (true) {
            var rule = rule(at);
            long parent = volume.vfs().parent(at);
            if (rule.isPresent() || parent == at) {
                return rule;
            }
            at = parent;
        }
    }

    private Optional<Rule<P>> rule(long ino) throws IOException {
        return rules.rules().stream().filter(rule -> rule.ino() == ino).findFirst();
    }

    /** The path of the directory or file that sets a rule; null if there is none. */
    public @Nullable String from(Optional<Rule<P>> rule) {
        return rule.map(found -> path.at(found.path()).toString()).orElse(null);
    }

    PolicyRow row(Optional<Rule<P>> rule) {
        return new PolicyRow(path.toString(), rule.map(found -> found.policy().toString()).orElse("none"), from(rule));
    }

    @Override
    public void close() throws IOException {
        volume.close();
    }
}
