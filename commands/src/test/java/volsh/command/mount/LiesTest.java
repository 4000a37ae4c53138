package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.hang.Eventually;
import volsh.postgrestest.PostgresServer;
import volsh.s3test.S3Gate;
import volsh.s3test.S3Server;
import volsh.volume.SessionControl;

/**
 * States of trouble, and what {@code status}, {@code mounts show}, {@code events}, {@code doctor}, exit codes and the
 * kernel say of each: never "ok", and everywhere the same. The table is in docs/SEMANTICS.md; a full store is in
 * {@link LeavingMountsTest}, full disks are in {@link FullDisksTest}, a fenced mount on PostgreSQL is in
 * {@link FencedMountTest}.
 */
@Timeout(150)
final class LiesTest {
    @TempDir
    Path directory;
    private Scratch scratch;
    private Path point;

    @BeforeEach
    void home() {
        scratch = new Scratch(directory.resolve("home"));
        point = directory.resolve("mnt");
    }

    private void volume(Path store) {
        scratch.ok("store add s1 file://" + store);
        scratch.ok("volume create data --store s1 --block-size 1MiB");
    }

    /** Everywhere the same word, sentence, command and exit code. */
    private void told(ServedVolume served, int exit, String word, String sentence, String command) {
        served.says("status -o json", exit, sentence, command);
        served.says("mounts show %s -o json".formatted(point), exit, word, sentence, command);
        served.says("mounts list -o value:state", 0, word);
        served.says("doctor -o json", exit, word, sentence, command);
        served.says("events", 0, word + ": ", sentence);
    }

    @Test
    void aProcessThatIsStoppedAndOneThatIsKilled() throws Exception {
        volume(directory.resolve("store"));
        try (var served = new ServedVolume(scratch, "data", point, "")) {
            served.child().signal("STOP");
            try {
                served.says("status -o json --timeout 1s", 6, "unavailable", "its process does not answer",
                        "\"atRiskBytes\": null");
                served.says("mounts show %s -o value:atRisk".formatted(point), 6, "unknown");
            } finally {
                served.child().signal("CONT");
            }
            served.says("status -o csv --columns kind,health", 0, "mount,ok");
            assertThat(served.sh("echo kept >f && sync f").said()).isEmpty();
            served.child().kill();
            served.child().exitCode();
            assertThat(served.sh("cat f").said()).contains("Transport endpoint is not connected");
            served.says("status -o json", 6, "has died", "volsh mounts recover");
            served.says("mounts show %s -o json".formatted(point), 6, "\"dead\"", "\"atRisk\": \"nothing\"",
                    "volsh mounts recover");
            served.says("mounts list -o value:state", 0, "dead");
            served.says("doctor -o json", 6, "is dead", "volsh mounts recover");
            scratch.ok("mounts recover");
            served.says("events", 0, "had died: its mount was cleared away");
            assertThat(scratch.run("mounts list -o name").out()).isEmpty();
        }
        assertThat(scratch.ok("cat data:/f").out()).isEqualTo("kept\n");
    }

    /** The process of the mount is well, and its database is not: that is told long before a request fails. */
    @Test
    void aDatabaseThatIsStopped() throws Exception {
        scratch.ok("store add s1 file://" + directory.resolve("store"));
        try (var server = PostgresServer.start()) {
            scratch.ok("volume create data --store s1 --meta " + server.url());
            try (var served = ServedVolume.here(scratch, "data", point, "")) {
                assertThat(served.sh("echo kept >f && sync f").said()).isEmpty();
                assertThat(scratch.run("status --timeout 0s").status()).isEqualTo(2);
                server.pause();
                try {
                    Eventually.value("the mount says what it waits for",
                            () -> scratch.run("mounts list -o csv --columns state,trouble").out(),
                            list -> list.contains("the metadata database does not respond"));
                } finally {
                    server.resume();
                }
                Eventually.value("the mount is well again",
                        () -> scratch.run("mounts list -o csv --columns state").out(), list -> list.contains("ok"));
                assertThat(served.sh("cat f").said()).isEqualTo("kept\n");
            }
        }
    }

    /**
     * What waits in a journal is on a disk: it is counted without the process that put it there, and the command that
     * is given stores it.
     */
    @Test
    void aKilledMountWithAJournal() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 8)) {
            volume(disk.directory().resolve("store"));
            try (var served = new ServedVolume(scratch, "data", point, "--writeback")) {
                disk.makeReadOnly();
                assertThat(served.write("f", 3).said()).isEmpty();
                var since = scratch.run("mounts show %s -o value:stagedSince".formatted(point)).out().strip();
                assertThat(since).startsWith("20");
                served.child().kill();
                served.child().exitCode();
                served.says("mounts show %s -o json".formatted(point), 6, "\"dead\"",
                        "\"atRisk\": \"3MiB, 0 commits, for ", "\"bufferedBytes\": null", "\"stagedBytes\": 31",
                        "\"stagedSince\": \"" + since.substring(0, 19), "3MiB are waiting in its journal on this host",
                        "\"next\": \"volsh cache flush data\"");
                served.says("mounts list -o value:trouble", 0, "3MiB are waiting in its journal");
                served.says("status -o csv --columns kind,atRisk,since,next", 6, "mount,31", since.substring(0, 19),
                        "volsh cache flush data");
                served.says("doctor -o json", 6, "is dead", "3MiB are waiting in its journal",
                        "volsh cache flush data");
                disk.makeWritable();
                var recovered = scratch.ok("mounts recover");
                assertThat(recovered.err()).contains("3MiB of volume 'data' are only in the journal of " + point,
                        "volsh cache flush data");
                scratch.ok("cache flush data");
            }
            assertThat(scratch.ok("status -o csv --columns kind,health,atRisk").out()).contains("volume,ok,0");
            assertThat(scratch.ok("volume check data --deep").err()).contains("found no problem");
        }
    }

    @Test
    void aReadOnlyStore() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 8)) {
            volume(disk.directory().resolve("store"));
            try (var served = ServedVolume.here(scratch, "data", point, "")) {
                disk.makeReadOnly();
                assertThat(served.write("f", 2).said()).contains("Input/output error");
                told(served, 9, "refused", "cannot be written out", "volsh store probe s1");
                var refused = scratch.run("umount " + point);
                assertThat(refused.status()).as(refused.err()).isEqualTo(9);
                disk.makeWritable();
                served.says("mounts list -o value:state", 0, "ok");
            }
        }
    }

    /**
     * Its session is ended by others, and a program holds a lock: it stays fenced, says so, and comes back when the
     * lock is released.
     */
    @Test
    void aFencedMount() throws Exception {
        volume(directory.resolve("store"));
        try (var served = ServedVolume.here(scratch, "data", point, ""); var program = Python.in(point)) {
            assertThat(program.does("f = os.open('f', os.O_RDWR | os.O_CREAT); os.write(f, b'kept'); os.fsync(f); "
                    + "fcntl.flock(f, fcntl.LOCK_EX)")).isEqualTo("ok");
            try (var control = scratch.volumes().sessionControl("data")) {
                fenceAll(control);
            }
            assertThat(program.does("os.mkdir('late')")).isEqualTo("ESTALE");
            assertThat(served.sh("cat f").said()).as("reading works").isEqualTo("kept");
            told(served, 4, "fenced", "its session was ended because its lease expired", "volsh umount " + point);
            served.says("status -o json", 4, "the session comes back when processes here release locks",
                    "process " + program.process().pid());
            assertThat(program.does("os.close(f)")).isIn("ok", "ESTALE");
            served.says("mounts list -o value:state", 0, "ok");
            assertThat(program.does("os.mkdir('late')")).isEqualTo("ok");
            served.says("events", 0, "reconnected as session", "resolved: fenced");
        }
    }

    /** One that believes itself alone does not come back. */
    @Test
    void aFencedSoleWriter() throws Exception {
        volume(directory.resolve("store"));
        try (var served = ServedVolume.here(scratch, "data", point, "--sole-writer")) {
            try (var control = scratch.volumes().sessionControl("data")) {
                fenceAll(control);
            }
            assertThat(served.sh("mkdir late").said()).contains("Stale file handle");
            told(served, 4, "fenced", "a sole writer does not reconnect by itself", "volsh umount " + point);
        }
    }

    /** Of a machine that shares a volume by a token, which its owner takes back. */
    @Test
    void aRevokedToken() throws Exception {
        var owner = new Scratch(directory.resolve("owner"));
        var name = PostgresServer.freshName();
        owner.ok("store add lake " + directory.resolve("lake").toUri());
        owner.ok("volume create %s --meta %s --store lake".formatted(name, PostgresServer.shared().lockedUrl()));
        owner.ok("mkdir %s:/d".formatted(name));
        var made = owner.ok("token create %s --read-only --expires 7d -o json".formatted(name)).out();
        scratch.ok("volume attach '%s'"
                .formatted(field(made, "url").replace("@", ":" + field(made, "password") + "@")));
        try (var served = ServedVolume.here(scratch, name, point, "--read-only"); var program = Python.in(point)) {
            assertThat(program.does("os.stat('d')")).isEqualTo("ok");
            owner.ok("token revoke %s %s".formatted(name, field(made, "token")));
            assertThat(program.does("os.listdir('d')")).isEqualTo("EACCES");
            told(served, 9, "refused", "revoked, has expired", "volsh volume show " + name);
            var mounted = scratch.run("volume detach " + name);
            assertThat(mounted.err()).contains("is mounted at " + point, "volsh umount " + point);
            assertThat(mounted.status()).isEqualTo(5);
        }
        scratch.ok("volume detach " + name);
    }

    private static String field(String json, String name) {
        var found = Pattern.compile("\"%s\": \"([^\"]*)\"".formatted(name)).matcher(json);
        assertThat(found.find()).as(json).isTrue();
        return found.group(1);
    }

    /** A store that no longer takes the credentials it has been given, of reads and of writes. */
    @Test
    void expiredCredentials() throws Exception {
        try (var s3 = new S3Gate(S3Server.shared())) {
            scratch.ok("store add s1 s3://%s --anonymous --endpoint %s".formatted(S3Server.shared().newBucket(),
                    s3.endpoint()));
            scratch.ok("volume create data --store s1");
            try (var served = ServedVolume.here(scratch, "data", point, "")) {
                assertThat(served.sh("head -c 100000 /dev/urandom >f && sync f").said()).isEmpty();
                s3.expire(true);
                assertThat(served.sh("head -c 100000 /dev/urandom >g; sync g").said()).contains("Input/output error");
                told(served, 9, "refused", "ExpiredToken", "volsh store probe s1");
                served.says("status -o csv --columns kind,health", 9, "store,refused");
                served.says("store probe s1", 9, "ExpiredToken");
                s3.expire(false);
                served.says("mounts list -o value:state", 0, "ok");
            }
        }
    }

    /** Bytes that are not what was written, in the store and in the metadata. */
    @Test
    void damage() throws Exception {
        volume(directory.resolve("store"));
        scratch.ok("put %s data:/block".formatted(Files.write(directory.resolve("large"), new byte[200_000])));
        scratch.ok("put %s data:/row"
                .formatted(Files.writeString(directory.resolve("small"), "a few bytes in a row of the metadata")));
        Path block;
        try (var blocks = Files.walk(directory.resolve("store"))) {
            block = blocks.filter(path -> Files.isRegularFile(path) && path.toString().contains("blocks")).findFirst()
                    .orElseThrow();
        }
        flip(block, 100);
        try (var served = ServedVolume.here(scratch, "data", point, "")) {
            assertThat(served.sh("cat block >/dev/null").said()).contains("Input/output error");
            told(served, 7, "damaged", "/block", "volsh volume check data --deep");
            served.says("status -o csv --columns kind,health", 7, "mount,damaged", "volume,damaged");
            flip(block, 100);
            scratch.ok("volume check data --deep");
            served.says("status -o csv --columns kind,health", 0, "mount,ok", "volume,ok");
            flip(block, 100);
            assertThat(served.sh("cat block >/dev/null").said()).contains("Input/output error");
        }
        assertThat(scratch.run("status --timeout 60s -o csv --columns kind,health,next").out())
                .contains("volume,damaged,volsh volume check data --deep");   // as nobody looked since
        assertThat(scratch.run("volume check data --deep").status()).isEqualTo(7);
        var database = scratch.homes().state()
                .resolve("volumes/%s/meta.db".formatted(scratch.volumes().find("data").id()));
        flip(database, find(Files.readAllBytes(database), "a few bytes in a row"));
        try (var served = ServedVolume.here(scratch, "data", point, "")) {
            assertThat(served.sh("cat row").said()).contains("Input/output error");
            told(served, 7, "damaged", "does not match its checksum", "volsh volume check data --deep");
        }
        assertThat(scratch.run("cat data:/row").status()).isEqualTo(7);
    }

    private static void flip(Path file, int at) throws IOException {
        var bytes = Files.readAllBytes(file);
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }

    private static int find(byte[] bytes, String text) {
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
        assertThat(at).isPositive();
        return at;
    }

    /** The clock of the machine jumps while a volume is mounted: what is old, nobody knows any more. */
    @Test
    void aClockThatIsOff() throws Exception {
        var off = new AtomicReference<>(Duration.ZERO);
        scratch = new Scratch(directory.resolve("home"), () -> Instant.now().plus(off.get()));
        volume(directory.resolve("store"));
        try (var served = ServedVolume.here(scratch, "data", point, "")) {
            off.set(Duration.ofHours(2));
            told(served, 11, "clock", "the clock of this machine jumped ahead by", "volsh volume gc data");
            assertThat(served.sh("echo still >f && sync f && cat f").said()).isEqualTo("still\n");
        }
    }

    private static void fenceAll(SessionControl control) throws Exception {
        for (var open : control.list()) {
            control.fence(open.session().id(), true);
        }
    }

    /** The home that had the volume before it was attached in another one. */
    @Test
    void attachedElsewhere() throws Exception {
        var store = directory.resolve("bucket");
        scratch.ok("store add s1 file://" + store);
        scratch.ok("volume create data --store s1 --ship-metadata on");
        var other = new Scratch(directory.resolve("other"));
        var attached = other.run("volume attach file://%s --volume data".formatted(store));
        assertThat(attached.status()).as(attached.err()).isZero();
        other.ok("mkdir data:/theirs");
        var status = scratch.run("status -o json");
        assertThat(status.out()).contains("\"fenced\"", "this copy is read-only", "volsh volume show data");
        assertThat(status.status()).isEqualTo(4);
    }

    @Test
    void aFullAndAReadOnlyHome() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 4)) {
            var small = new Scratch(disk.directory().resolve("home"));
            small.ok("store add s1 file://" + directory.resolve("store"));
            small.ok("volume create data --store s1");
            disk.fill();
            var full = small.run("status -o json");
            assertThat(full.out()).contains("\"full\"", "the disk of the home has no space left", "df -h ");
            assertThat(full.status()).isEqualTo(8);
            disk.free();
            disk.makeReadOnly();
            var refused = small.run("status -o json");
            assertThat(refused.out()).contains("the home is not writable");
            assertThat(refused.status()).as("or worse: the metadata cannot be opened").isIn(6, 9);
        }
    }
}
