package volsh.prompt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import volsh.command.Session;
import volsh.fs.Owner;
import volsh.volume.Home;

/**
 * What a person wants done when a prompt starts: the system's {@code rc.groovy}, then their own {@code rc.volsh} and
 * {@code rc.groovy}. A file that others could have written is not run: what runs here runs as its reader.
 */
final class RcFiles {
    private static final Path SYSTEM = Path.of("/etc/volsh/rc.groovy");

    private final Session session;

    RcFiles(Session session) {
        this.session = session;
    }

    /** Those that are there and may be run, in order; of the others one warning each. */
    List<Path> trusted() throws Exception {
        Home home = session.service(Home.class);
        var files = new LinkedHashSet<Path>();
        if (!session.environment().containsKey("VOLSH_HOME")) {   // a home of its own is a world of its own
            files.add(SYSTEM);
        }
        files.addAll(List.of(home.config().resolve("rc.volsh"), home.config().resolve("rc.groovy")));
        return files.stream().filter(Files::exists).filter(this::mayRun).toList();
    }

    private boolean mayRun(Path file) {
        try {
            int uid = session.service(Owner.class).uid();
            Optional<String> distrust = distrust(Files.readAttributes(file, "unix:uid,permissions"), uid);
            distrust.ifPresent(reason -> session.warn("not running " + file + ": " + reason));
            return distrust.isEmpty();
        } catch (NoSuchFileException gone) {
            return false;
        } catch (Exception unreadable) {
            session.warn("not running " + file + ": " + unreadable.getMessage());
            return false;
        }
    }

    /** Why a file of these attributes is not run by this user; empty when it may be. Root trusts nobody but root. */
    static Optional<String> distrust(Map<String, Object> attributes, int uid) {
        int owner = (Integer) attributes.get("uid");
        var permissions = (Set<?>) attributes.get("permissions");
        if (owner != uid && owner != 0) {
            return Optional.of("it belongs to user " + owner);
        }
        if (permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            return Optional.of("everybody can write it");
        }
        if (uid == 0 && permissions.contains(PosixFilePermission.GROUP_WRITE)) {
            return Optional.of("its group can write it");
        }
        return Optional.empty();
    }

    static String read(Path file) throws IOException {
        return Files.readString(file);
    }
}
