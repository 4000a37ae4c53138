package volsh.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Twelve secrets, given in every way there is, and sixty commands, some of which fail at a server that repeats what it
 * is sent: nothing that volsh writes or shows has one of the secrets, and none is in the arguments or the environment
 * of a process that volsh starts.
 */
@Timeout(300)
@Tag("mount")
final class PlantedSecretsTest {
    private static final Map<String, String> ENVIRONMENT = Map.of("AWS_ACCESS_KEY_ID", "AKENV",
            "AWS_SECRET_ACCESS_KEY", "sesame-secret", "AWS_SESSION_TOKEN", "sesame-session", "PGPASSWORD",
            "sesame-pgpassword", "VOLSH_PASSPHRASE", "sesame-passphrase", "OWN_KEY",
            "sesame-variable-0123456789abcdefghijklmnop");
    /** The files from which volsh is to read secrets, and what they hold. */
    private static final Map<String, String> FILES = Map.of("work/key", "sesame-key-file-0123456789abcdefghijklmnop",
            "work/command-key", "sesame-command-0123456789abcdefghijklmnop",
            "user/.aws/credentials", "[lab]\naws_access_key_id = AKLAB\naws_secret_access_key = sesame-profile\n",
            "user/.pgpass", "127.0.0.1:1:*:*:sesame-pgpass\n");
    private static final String LINES = """
            set +e
            volume create plain
            volume create enc --encrypt passphrase
            volume create filed --encrypt key-file:key
            volume create variable --encrypt env:OWN_KEY
            volume create commanded --encrypt 'command:cat command-key'
            key list enc
            key add enc two key-file:key
            key rotate enc
            key list filed -o json
            put -r tree enc:/
            put data plain:/data
            put data filed:/data
            ls -lR enc:/
            cat enc:/tree/2
            get enc:/tree/2 back
            cp -r enc:/tree plain:/copy
            mv plain:/copy plain:/moved
            rm -r plain:/moved
            stat plain:/data -o json
            find plain:/ -name data
            du plain:/
            volume check enc
            volume list -o json
            volume show enc -o json
            volume set plain label.team=vision
            snapshot create plain@v1
            snapshot list plain
            mount enc mnt
            mounts list -o json
            mounts show mnt
            umount mnt
            store add bad s3://bucket/x --endpoint SERVER --region us-east-1
            store add bad2 s3://bucket/y --endpoint SERVER --region us-east-1 --no-probe
            store add profiled s3://bucket/z --endpoint SERVER --region us-east-1 --no-probe --profile lab
            store list -o json
            store probe bad2
            store probe profiled
            volume create onbad --store bad2
            ls s3://bucket/ --endpoint SERVER --region us-east-1
            put data s3://bucket/k --endpoint SERVER --region us-east-1
            ls 's3://bucket/?secret=sesame-query'
            ls 'http://user:sesame-userinfo@127.0.0.1:1/x'
            store add web 'http://user:sesame-userinfo@127.0.0.1:1/x'
            volume create pg --meta 'postgres://user:sesame-url@127.0.0.1:1/db'
            volume create pg2 --meta postgres://user@127.0.0.1:1/db
            gateway key list
            job start volume check enc
            job list
            checkpoint save plain --run r1 --step 1 --from tree
            checkpoint list plain
            shard pack tree shards
            volume dump plain dump
            doctor
            doctor --bundle bundle.tar.gz
            events
            status
            gc plain
            consistency list plain
            quota list plain
            service gateway plain --listen 9000 --unit-dir units
            man --write man
            """;

    @TempDir
    Path directory;

    @Test
    void noSecretIsWrittenShownOrPassedOn() throws Exception {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "mounting needs /dev/fuse");
        prepare();
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", PlantedSecretsTest::refuse);
        server.start();
        var seen = new ConcurrentSkipListSet<String>();
        try {
            var process = start();
            var watch = Thread.ofPlatform().start(() -> watchUntilTheEnd(process, seen));
            try (var input = process.getOutputStream()) {
                input.write(LINES.replace("SERVER", "http://127.0.0.1:" + server.getAddress().getPort())
                        .getBytes(StandardCharsets.UTF_8));
            }
            var said = Program.end(process);
            watch.join();
            assertThat(said.out() + said.err()).contains("created volume 'plain'", "mounted enc", "AccessDenied 403",
                    "****").doesNotContain("sesame");
        } finally {
            server.stop(0);
        }
        assertThat(written()).as("files with a secret").isEmpty();
        assertThat(seen).as("processes").contains("a process").allMatch(each -> !each.contains("sesame"));
        assertThat(LINES.lines().count()).isGreaterThanOrEqualTo(60);
    }

    private void prepare() throws IOException {
        for (var each : FILES.entrySet()) {
            var file = directory.resolve(each.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, each.getValue());
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
        for (String each : List.of("work/tree/a", "work/mnt", "tmp")) {
            Files.createDirectories(directory.resolve(each));
        }
        Files.writeString(directory.resolve("work/tree/2"), "two");
        Files.write(directory.resolve("work/data"), new byte[300_000]);
    }

    private Process start() throws IOException {
        var builder = Program.of(Main.class, "-v").directory(directory.resolve("work").toFile());
        var environment = new HashMap<>(ENVIRONMENT);
        environment.put("HOME", directory.resolve("user").toString());
        environment.put("TMPDIR", directory.resolve("tmp").toString());
        environment.put("VOLSH_HOME", directory.resolve("home").toString());
        environment.put("AWS_EC2_METADATA_DISABLED", "true");
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** A server that repeats the head of a request in its refusal. */
    private static void refuse(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            var heads = new ArrayList<String>();
            exchange.getRequestHeaders().forEach((name, values) -> heads.add(name + ": " + values.getFirst()));
            byte[] body = ("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>refused: %s</Message>"
                    + "</Error>").formatted(String.join(" ", heads)).getBytes(StandardCharsets.UTF_8);
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(403, head ? -1 : body.length);
            if (!head) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private void watchUntilTheEnd(Process process, Set<String> seen) {
        try {
            while (!process.waitFor(30, TimeUnit.MILLISECONDS)) {
                watch(process.pid(), seen);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Looks at the processes of this home, except the one that was given the secrets by its user. */
    private void watch(long own, Set<String> seen) {
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var each : all) {
                if (each.getFileName().toString().equals(Long.toString(own))) {
                    continue;
                }
                String environment = text(each.resolve("environ"));
                if (environment.contains("VOLSH_HOME=" + directory)) {
                    seen.add("a process");
                    String command = text(each.resolve("cmdline")).replace('\0', ' ');
                    // a fork that is about to become another program; a command that may need credentials
                    boolean ofUser = command.contains("jspawnhelper") || command.endsWith("Main -v ")
                            || command.contains("cat command-key") || command.isEmpty();
                    (environment + command).lines().flatMap(line -> Arrays.stream(line.split("\0")))
                            .filter(word -> word.contains("sesame") && !ofUser)
                            .forEach(word -> seen.add(word + " of " + command));
                }
            }
        } catch (IOException gone) {
            return;   // the next look finds the others
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    /** The files below this test's directory that hold a secret, except those that were there. */
    private Set<String> written() throws IOException {
        var found = new TreeSet<String>();
        try (var all = Files.walk(directory)) {
            for (var file : all.filter(Files::isRegularFile).toList()) {
                String name = directory.relativize(file).toString();
                if (!FILES.containsKey(name) && unpacked(file).contains("sesame")) {
                    found.add(name);
                }
            }
        }
        assertThat(directory.resolve("work/bundle.tar.gz")).exists();
        return found;
    }

    private static String unpacked(Path file) throws IOException {
        if (!file.toString().endsWith(".gz")) {
            return text(file);
        }
        try (var in = new java.util.zip.GZIPInputStream(Files.newInputStream(file))) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
