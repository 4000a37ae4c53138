package volsh.command.line;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import volsh.catalog.Home;
import volsh.command.Host;
import volsh.command.Session;

/**
 * The behaviour of a Slurm prolog or epilog: it has its own log, the script prints nothing to standard output, and the
 * exit code says only whether the node is usable, because any code other than 0 drains the node.
 */
final class Prolog implements AutoCloseable {
    private final OutputStream log;
    private final Path file;

    private Prolog(OutputStream log, Path file) {
        this.log = log;
        this.file = file;
    }

    /** Opens {@code job-ID.log} in the log directory; a log that cannot be written does not stop the job. */
    static Prolog open(Session session) throws Exception {
        Path directory = session.service(Home.class).state().resolve("logs");
        Path file = directory.resolve("job-" + id(session.environment()) + ".log");
        try {
            Files.createDirectories(directory);
            var log = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND,
                    LinkOption.NOFOLLOW_LINKS);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            return new Prolog(log, file);
        } catch (IOException | UnsupportedOperationException unwritable) {
            session.warn("cannot write the log: " + unwritable.getMessage());
            return new Prolog(OutputStream.nullOutputStream(), file);
        }
    }

    private static String id(Map<String, String> environment) {
        String id = environment.getOrDefault("SLURM_JOB_ID", "none");
        return id.matches("[A-Za-z0-9_.+-]{1,64}") && !Set.of(".", "..").contains(id) ? id : "odd";
    }

    Path file() {
        return file;
    }

    /** The host of the script: nothing on standard output, everything in the log and on standard error. */
    Host host(Host host) {
        var both = new Both(host.err(), log, host.out());
        return new Host(host.in(), both, both, host.environment(), host.clock(), host.zone(),
                volsh.command.console.Terminal.none(), host.services());
    }

    /** The exit code for slurmd: 0 or 1. The real code is in the log. */
    int end(int status, boolean failOpen, Session session) throws IOException {
        String verdict = status == 0 ? "ok" : failOpen ? "failed, but the job may continue" : "failed";
        String line = "%s exit %d (%s)%n".formatted(session.clock().instant(), status, verdict);
        log.write(line.getBytes(StandardCharsets.UTF_8));
        return status == 0 || failOpen ? 0 : 1;
    }

    @Override
    public void close() throws IOException {
        log.close();
    }

    /** Writes everything twice. */
    private static final class Both extends OutputStream implements Aside {
        private final OutputStream one;
        private final OutputStream other;
        private final OutputStream data;

        Both(OutputStream one, OutputStream other, OutputStream data) {
            this.one = one;
            this.other = other;
            this.data = data;
        }

        @Override
        public OutputStream data() {
            return data;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
            other.write(bytes, offset, length);
            one.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            other.flush();
            one.flush();
        }
    }
}
