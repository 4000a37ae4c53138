package volsh.prompt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import volsh.catalog.Home;
import volsh.command.Session;
import volsh.disk.Trust;

/**
 * The start-up files of a prompt: the system's {@code rc.groovy}, then the user's {@code rc.volsh} and {@code
 * rc.groovy}. Skips a file that other users can write, because it would run with this user's rights.
 */
final class RcFiles {
    private static final Path SYSTEM = Path.of("/etc/volsh/rc.groovy");

    private final Session session;

    RcFiles(Session session) {
        this.session = session;
    }

    /** The existing files that may run, in order; one warning for each other file. */
    List<Path> trusted() throws Exception {
        Home home = session.service(Home.class);
        var files = new LinkedHashSet<Path>();
        if (!session.environment().containsKey("VOLSH_HOME")) {   // VOLSH_HOME has its own configuration
            files.add(SYSTEM);
        }
        files.addAll(List.of(home.config().resolve("rc.volsh"), home.config().resolve("rc.groovy")));
        return files.stream().filter(Files::exists).filter(this::mayRun).toList();
    }

    private boolean mayRun(Path file) {
        try {
            Optional<Trust.Flaw> flaw = Trust.ofThisProcess().ofFile(file);
            flaw.ifPresent(found -> session.warn("skipped start-up file %s: %s%s".formatted(
                    file, found.path().equals(file) ? "" : found.path() + ": ", found.reason())));
            return flaw.isEmpty();
        } catch (NoSuchFileException gone) {
            return false;
        } catch (Exception unreadable) {
            session.warn("skipped start-up file " + file + ": " + unreadable.getMessage());
            return false;
        }
    }

    static String read(Path file) throws IOException {
        return Files.readString(file);
    }
}
