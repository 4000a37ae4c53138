package volsh.postgrestest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import volsh.hang.Eventually;
import volsh.s3test.KeptPorts;

/**
 * PostgreSQL on a loopback port, with its data in a temporary directory, and a database {@code volsh} owned by a user
 * {@code volsh} who is no superuser. A second user, {@code guarded}, needs a password. It ends when it is closed, and
 * also when this process does, however that comes about: a shell waits for the end of its standard input and then kills
 * it. Never runs as root.
 *
 * <p>It does not sync, which is no matter to a test that kills it: what a process has written, its death does not undo.
 */
public final class PostgresServer implements AutoCloseable {
    public static final String PASSWORD = "a word/with: odd@things";
    private static final String WATCH = "\"$@\" </dev/null & pid=$!; cat >/dev/null; kill -QUIT $pid; wait $pid";
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static PostgresServer shared;
    private static Path fresh;

    private final Path home;
    private final int port;
    private Process process;
    private boolean locked;

    private PostgresServer(Path home, int port) {
        this.home = home;
        this.port = port;
    }

    /** The one of this JVM; started at the first call. */
    public static synchronized PostgresServer shared() throws IOException, InterruptedException {
        if (shared == null) {
            shared = start();
            Runtime.getRuntime().addShutdownHook(new Thread(shared::close));
        }
        return shared;
    }

    /** A server of one's own, to be killed. */
    public static PostgresServer start() throws IOException, InterruptedException {
        return start(_ -> { });
    }

    /** One that also speaks TLS, with the certificate in {@link #certificate}, which is for 127.0.0.1. */
    public static PostgresServer withTls() throws IOException, InterruptedException {
        return start(PostgresServer::makeCertificate);
    }

    /** One that has room for few locks: a transaction that drops hundreds of things fails. */
    public static PostgresServer withFewLocks() throws IOException, InterruptedException {
        return start(server -> Files.writeString(Path.of(server.data(), "postgresql.conf"),
                "\nmax_locks_per_transaction = 10\n", StandardOpenOption.APPEND));
    }

    /** What is done to the directory of a server before it runs. */
    private interface Setup {
        void of(PostgresServer server) throws IOException, InterruptedException;
    }

    private static PostgresServer start(Setup setup) throws IOException, InterruptedException {
        var server = new PostgresServer(home(), KeptPorts.next());
        server.make();
        setup.of(server);
        server.run();
        server.sql("postgres", "CREATE ROLE volsh LOGIN");
        server.sql("postgres", "CREATE DATABASE volsh OWNER volsh");
        server.sql("postgres", "CREATE ROLE guarded LOGIN PASSWORD '%s' IN ROLE volsh".formatted(PASSWORD));
        return server;
    }

    /** Where the user that runs the server can get at it. */
    private static Path home() throws IOException {
        var home = Files.createTempDirectory("postgres");
        for (var above = home.getParent(); above != null; above = above.getParent()) {
            if (!Files.getPosixFilePermissions(above).contains(PosixFilePermission.OTHERS_EXECUTE)) {
                Files.delete(home);
                return Files.createTempDirectory(Path.of("/tmp"), "postgres");
            }
        }
        return home;
    }

    private void make() throws IOException, InterruptedException {
        if (isRoot()) {
            run("chown", "postgres", home.toString());
        }
        run(asUser("cp", "-a", fresh().toString(), data()));
        Files.writeString(Path.of(data(), "pg_hba.conf"), """
                local all all trust
                host locked all all md5
                host all guarded all scram-sha-256
                host all all all trust
                """);
    }

    /** The data of a server that has never run: making them takes longer than copying them. */
    private Path fresh() throws IOException, InterruptedException {
        synchronized (PostgresServer.class) {
            if (fresh == null) {
                var made = home();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(made)));
                if (isRoot()) {
                    run("chown", "postgres", made.toString());
                }
                run(asUser(program("initdb"), "-D", made.resolve("data").toString(), "-U", "postgres", "-E", "UTF8",
                        "--locale=C", "--no-sync", "--auth=trust"));
                fresh = made.resolve("data");
            }
            return fresh;
        }
    }

    private void makeCertificate() throws IOException, InterruptedException {
        run(asUser("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2", "-subj", "/CN=volsh test", "-addext", "subjectAltName=IP:127.0.0.1",
                "-keyout", data() + "/server.key", "-out", certificate().toString()));
        Files.writeString(Path.of(data(), "postgresql.conf"), "\nssl = on\n", StandardOpenOption.APPEND);
    }

    public Path certificate() {
        return Path.of(data(), "server.crt");
    }

    private String data() {
        return home.resolve("data").toString();
    }

    /** Starts it, for the first time or again. */
    public void run() throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("sh", "-c", WATCH, "sh"));
        command.addAll(List.of(asUser(program("postgres"), "-D", data(), "-p", Integer.toString(port), "-k",
                home.toString(), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "shared_buffers=32MB",
                "-c", "max_connections=60", "-c", "log_min_messages=fatal", "-c", "max_wal_size=256MB")));
        process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile())).start();
        awaitAnswer();
    }

    private void awaitAnswer() {
        Eventually.value("PostgreSQL answers", () -> {
            if (answers()) {
                return "";
            }
            String told = "its log: " + Files.readString(log());
            if (!process.isAlive()) {
                throw new IOException("PostgreSQL does not start; " + told);
            }
            return told;
            }, ""::equals);
    }

    private boolean answers() {
        try {
            superuser("postgres").close();
            return true;
        } catch (SQLException notYet) {
            return false;
        }
    }

    private Path log() throws IOException {
        return Files.createDirectories(home.resolveSibling(home.getFileName() + "-log")).resolve("log");
    }

    /**
     * Ends all its processes at once, wherever they are. The first one is stopped before, so that it makes no others
     * meanwhile.
     */
    public void kill() throws IOException, InterruptedException {
        long postmaster = Long.parseLong(Files.readAllLines(Path.of(data(), "postmaster.pid")).getFirst().trim());
        call("kill", "-STOP", Long.toString(postmaster));
        var all = new ArrayList<ProcessHandle>();
        ProcessHandle.of(postmaster).ifPresent(server -> {
            all.add(server);
            server.descendants().forEach(all::add);
        });
        all.forEach(ProcessHandle::destroyForcibly);
        for (var one : all) {
            Eventually.holds("process %d is over".formatted(one.pid()), () -> !one.isAlive() || isOver(one.pid()));
        }
        process.getOutputStream().close();
        process.waitFor();
    }

    /**
     * Stops all its processes where they are: connections stay, the kernel accepts others, and nothing answers. They go
     * on with {@link #resume}.
     */
    public void pause() throws IOException, InterruptedException {
        signal("-STOP");
    }

    public void resume() throws IOException, InterruptedException {
        signal("-CONT");
    }

    /** To the first one first: stopped, it makes no others meanwhile. */
    private void signal(String name) throws IOException, InterruptedException {
        long postmaster = Long.parseLong(Files.readAllLines(Path.of(data(), "postmaster.pid")).getFirst().trim());
        call("kill", name, Long.toString(postmaster));
        for (var child : ProcessHandle.of(postmaster).stream().flatMap(ProcessHandle::descendants).toList()) {
            call("kill", name, Long.toString(child.pid()));
        }
    }

    /**
     * Dead, but nobody has asked what became of it: so it stays where this process is the first one, as in a container.
     */
    private static boolean isOver(long pid) {
        try {
            var stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'Z';
        } catch (IOException gone) {
            return true;
        }
    }

    /** As the superuser. */
    public void sql(String database, String statement) throws IOException {
        try (var connection = superuser(database); var words = connection.createStatement()) {
            words.execute(statement);
        } catch (SQLException failed) {
            throw new IOException("%s failed: %s".formatted(statement, failed.getMessage()), failed);
        }
    }

    private Connection superuser(String database) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, database), "postgres",
                "");
    }

    public int port() {
        return port;
    }

    /** The database, as the URL says it. */
    public String url() {
        return url(port);
    }

    /** The database through somebody who listens on another port. */
    public static String url(int port) {
        return "postgres://volsh@127.0.0.1:" + port + "/volsh";
    }

    /**
     * A database {@code locked} where everybody needs a password, owned by a user {@code keeper} who may make roles.
     */
    public synchronized String lockedUrl() throws IOException, InterruptedException {
        if (!locked) {
            sql("postgres", "SET password_encryption = 'md5';"   // 4096 rounds of SHA-256 a connection are no test
                    + "CREATE ROLE keeper LOGIN CREATEROLE PASSWORD 'kept'");
            sql("postgres", "CREATE DATABASE locked OWNER keeper");
            locked = true;
        }
        return "postgres://keeper:kept@127.0.0.1:" + port + "/locked";
    }

    /** One that no volume of this JVM's tests has. */
    public static String freshName() {
        return "t" + NAMES.incrementAndGet();
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                kill();
            }
            delete(home);
            delete(log().getParent());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void delete(Path directory) {
        try (var below = Files.walk(directory)) {
            for (var path : below.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    private String[] asUser(String... command) {
        if (!isRoot()) {
            return command;
        }
        var all = new ArrayList<>(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
        all.addAll(List.of(command));
        return all.toArray(String[]::new);
    }

    /** Of the newest version that Debian has installed. */
    private static String program(String name) throws IOException {
        var versions = Path.of("/usr/lib/postgresql");
        if (Files.isDirectory(versions)) {
            try (var found = Files.list(versions)) {
                var newest = found.max(
                        Comparator.comparingInt(version -> Integer.parseInt(version.getFileName().toString())));
                if (newest.isPresent()) {
                    return newest.get().resolve("bin").resolve(name).toString();
                }
            }
        }
        return name;
    }

    private void run(String... command) throws IOException, InterruptedException {
        if (call(command) != 0) {
            throw new IOException("%s failed:\n%s".formatted(List.of(command), Files.readString(log())));
        }
    }

    private int call(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start().waitFor();
    }
}
