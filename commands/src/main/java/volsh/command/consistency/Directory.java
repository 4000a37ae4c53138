package volsh.command.consistency;

import java.io.IOException;
import java.util.Optional;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Session;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.meta.Consistencies;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** A directory of an open volume, and its policy. Close it. */
record Directory(Volume volume, VolumePath path, long ino) implements AutoCloseable {
    /** @throws FsException NOT_DIRECTORY */
    static Directory open(Session session, String place, Access access) throws Exception {
        var path = VolumePath.of(place);
        var volume = session.service(Volumes.class).open(path.volume(), access, "consistency");
        try {
            var found = volume.paths().resolve(path.path());
            if (!found.isDirectory()) {
                throw new FsException(FsError.NOT_DIRECTORY, ("%s is not a directory: a policy applies to a directory "
                        + "and everything below it").formatted(path));
            }
            return new Directory(volume, path, found.ino());
        } catch (IOException | RuntimeException failed) {
            volume.close();
            throw failed;
        }
    }

    Consistencies policies() {
        return volume.vfs().coherence().policies();
    }

    /** The policy of the directory itself. */
    Optional<Consistencies.Rule> own() throws IOException {
        return rule(ino);
    }

    /** The policy in force: its own, or that of the nearest directory above that has one. */
    Optional<Consistencies.Rule> inForce() throws IOException {
        long at = ino;
        while (true) {
            var rule = rule(at);
            long parent = volume.vfs().parent(at);
            if (rule.isPresent() || parent == at) {
                return rule;
            }
            at = parent;
        }
    }

    private Optional<Consistencies.Rule> rule(long directory) throws IOException {
        return policies().rules().stream().filter(rule -> rule.directory() == directory).findFirst();
    }

    PolicyRow row(Optional<Consistencies.Rule> rule) {
        return new PolicyRow(path.toString(), rule.map(found -> found.policy().toString()).orElse("none"),
                rule.map(found -> path.at(found.path()).toString()).orElse(null));
    }

    @Override
    public void close() throws IOException {
        volume.close();
    }
}
