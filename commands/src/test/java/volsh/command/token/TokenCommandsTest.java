package volsh.command.token;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.postgrestest.PostgresServer;

/** Tokens by commands: one machine gives, another uses. */
final class TokenCommandsTest {
    @TempDir
    Path directory;

    private static Ended ok(Scratch machine, String line) {
        return ended(machine, line, 0);
    }

    private static Ended ended(Scratch machine, String line, int status) {
        Ended ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        return ended;
    }

    private static String field(String json, String name) {
        var found = Pattern.compile("\"%s\": \"([^\"]*)\"".formatted(name)).matcher(json);
        assertThat(found.find()).as(json).isTrue();
        return found.group(1);
    }

    @Test
    void aDirectoryIsSharedForAWeek() throws Exception {
        var owner = new Scratch(directory.resolve("owner"));
        var guest = new Scratch(directory.resolve("guest"));
        String name = PostgresServer.freshName();
        var file = Files.write(directory.resolve("file"), new byte[100_000]);
        ok(owner, "store add lake " + directory.resolve("lake").toUri());
        ok(owner, "volume create %s --meta %s --store lake".formatted(name, PostgresServer.shared().lockedUrl()));
        ok(owner, "mkdir -p %1$s:/data/sub %1$s:/secret".formatted(name));
        ok(owner, "put %s %s:/data/sub/large".formatted(file, name));
        ok(owner, "put %s %s:/secret/large".formatted(file, name));

        assertThat(ended(owner, "token create %s --path /data".formatted(name), 2).err())
                .contains("only reads", "--read-only");
        ended(owner, "token create %s --path /nowhere --read-only".formatted(name), 3);
        ended(owner, "token create %s --path /data/sub/large --read-only".formatted(name), 2);
        assertThat(ok(owner, "token create %s --path /data --read-only -n".formatted(name)).out())
                .contains("reads /data");
        assertThat(ok(owner, "token list %s -o value:token".formatted(name)).out()).isEmpty();
        String made = ok(owner, "token create %s --path /data --read-only --expires 7d --note guest -o json"
                .formatted(name)).out();
        String id = field(made, "token");
        String password = field(made, "password");
        String url = field(made, "url").replace("@", ":" + password + "@");
        assertThat(ok(owner, "token show %s %s".formatted(name, id)).out()).contains("/data", "read", "good", "guest")
                .doesNotContain(password);

        ok(guest, "volume attach '%s'".formatted(url));
        assertThat(ok(guest, "ls %s:/ -o name".formatted(name)).out()).contains("data").doesNotContain("secret");
        ok(guest, "get %s:/data/sub/large %s".formatted(name, directory.resolve("got")));
        assertThat(Files.mismatch(file, directory.resolve("got"))).isEqualTo(-1);
        ended(guest, "cat %s:/secret/large".formatted(name), 3);
        assertThat(ended(guest, "put %s %s:/data/mine".formatted(file, name), 9).err())
                .contains("token that only reads");
        assertThat(ok(guest, "df %s -o csv --columns used,files,stored,reclaimable,usePercent".formatted(name)).out()
                .lines().skip(1)).containsExactly(",,,,");
        assertThat(ok(guest, "volume show %s -o csv --columns used,inodes,stored".formatted(name)).out().lines()
                .skip(1)).containsExactly(",,");
        assertThat(ok(guest, "status -o csv --columns name,about").out()).contains("size unknown");
        ended(guest, "token list " + name, 9);
        assertThat(ended(guest, "token create %s --read-only".formatted(name), 9).err())
                .contains("only the owner of the volume can manage tokens").doesNotContain("ALTER ROLE");
        assertThat(ended(guest, "ls %s:/ --at -1m".formatted(name), 3).err()).contains("a token that shows no history")
                .doesNotContain("retention");

        ok(owner, "token revoke %s %s".formatted(name, id));
        assertThat(ended(owner, "token revoke %s %s".formatted(name, id), 4).err()).contains("already revoked");
        assertThat(ok(owner, "token list %s --all -o value:state".formatted(name)).out()).isEqualTo("revoked\n");
        for (String line : List.of("ls %s:/", "volume show %s",
                "mount %s " + Files.createDirectory(directory.resolve("mnt")) + " --foreground")) {
            assertThat(ended(guest, line.formatted(name), 9).err()).as(line)
                    .contains("token " + id + " was revoked, has expired").doesNotContain(password, "retry");
        }
        ok(owner, "volume destroy %1$s --confirm %1$s".formatted(name));
    }

    private String url(Scratch owner, String name, String options) {
        String made = ok(owner, "token create %s %s -o json".formatted(name, options)).out();
        return field(made, "url").replace("@", ":" + field(made, "password") + "@");
    }

    private static final List<String> STORES = List.of("lake", "side", "third", "spare");

    private Scratch withStores(String machine) {
        var scratch = new Scratch(directory.resolve(machine));
        for (var store : STORES) {
            ok(scratch, "store add %s %s".formatted(store, directory.resolve(store).toUri()));
        }
        return scratch;
    }

    private Map<String, FileTime> objects() throws IOException {
        var found = new TreeMap<String, FileTime>();
        for (var store : STORES) {
            try (var walk = Files.walk(directory.resolve(store))) {
                for (var path : walk.filter(Files::isRegularFile).toList()) {
                    found.put(directory.relativize(path).toString(), Files.getLastModifiedTime(path));
                }
            }
        }
        return found;
    }

    /** Every command that deletes or writes objects of a volume that is there. */
    private static final List<String> CHANGES = List.of("volume gc %s --delete --age 0s --trust-clock", "volume check "
            + "%s --repair", "volume check %s --deep --repair", "volume compact %s", "volume load %2$s %1$s --move",
            "stripe migrate %s:/data --stripe-count 1", "stripe rebalance %s", "stripe rebalance %s --add spare",
            "heal %s", "heal %s --confirm side", "scrub %s", "store drain side", "cache flush %s", "rm -r -y %s:/data");

    /** A store knows no tokens: what deletes or writes objects asks the database first. */
    @Test
    void noTokenDestroysAVolumeOrChangesItsObjects() throws Exception {
        String name = PostgresServer.freshName();
        var owner = withStores("owner");
        ok(owner, "volume create %s --meta %s --store lake,side,third --mirror 2 --block-size 64KiB --inline 0"
                .formatted(name, PostgresServer.shared().lockedUrl()));
        owner.fill(name, 2, 100_000);
        ok(owner, "mkdir %s:/else".formatted(name));
        ok(owner, "mv %1$s:/data/f0 %1$s:/else/f0".formatted(name));
        var lost = objects().keySet().stream().filter(key -> key.startsWith("side") && key.contains("blocks"))
                .findFirst().orElseThrow();
        Files.delete(directory.resolve(lost));
        var known = directory.resolve(objects().keySet().stream().filter(key -> key.contains("blocks")).findFirst()
                .orElseThrow());
        // what no row names
        Files.copy(known, known.resolveSibling("00000000000fff" + known.getParent().getFileName()));
        var dump = directory.resolve("dump");
        ok(owner, "volume dump %s %s".formatted(name, dump));
        var before = objects();
        String destroy = "volume destroy %1$s --confirm %1$s".formatted(name);
        for (var options : List.of("--read-only", "--path /data --read-only", "")) {
            var guest = withStores("guest" + options.length());
            ok(guest, "volume attach '%s'".formatted(url(owner, name, options)));
            for (var line : List.of(destroy + " --force", destroy + " -n", destroy)) {
                guest.run(line);
                assertThat(objects()).as(line).isEqualTo(before);
                assertThat(ended(guest, line, 9).err()).as(line)
                        .contains("only the database role that created the volume", "volsh volume detach " + name)
                        .doesNotContain("--force");
            }
            ok(guest, "ls %s:/".formatted(name));
            for (var line : options.isEmpty() ? List.of("volume load %2$s %1$s --move") : CHANGES) {
                ended(guest, line.formatted(name, dump), 9);
                assertThat(objects()).as(line).isEqualTo(before);
            }
        }
        ok(owner, destroy);
    }

    /**
     * Nor when the database says nothing of it, or says that the token is over; and the machine can forget the volume
     * in each case.
     */
    @Test
    void whoMayNotEvenAskDestroysNothingAndCanForgetIt() throws Exception {
        String name = PostgresServer.freshName();
        var owner = withStores("owner");
        ok(owner, "volume create %s --meta %s --store lake".formatted(name, PostgresServer.shared().lockedUrl()));
        owner.fill(name, 2, 100_000);
        var before = objects();
        String force = "volume destroy %1$s --force --confirm %1$s".formatted(name);
        var revoked = withStores("revoked");
        ok(revoked, "volume attach '%s'".formatted(url(owner, name, "--read-only")));
        ok(owner, "token revoke %s %s".formatted(name,
                ok(owner, "token list %s -o value:token".formatted(name)).out().strip()));
        assertThat(ended(revoked, force, 9).err()).contains("volsh volume detach " + name);
        var catalog = revoked.homes().state().resolve("catalog");
        try (var entries = Files.list(catalog.resolve("volumes"))) {   // as an earlier version left it
            Files.move(entries.findFirst().orElseThrow(),
                    Files.createDirectories(catalog.resolve("destroying")).resolve(name + ".json"));
        }
        ended(revoked, force, 9);
        assertThat(ok(revoked, "volume detach " + name).err()).contains("warning: ", "was revoked");
        assertThat(ok(revoked, "volume list -o name").out() + revoked.volumes().destroying()).isEqualTo("[]");

        for (var change : List.of(":1/", ":%d/gone-".formatted(PostgresServer.shared().port()))) {
            var away = withStores("away" + change.length());
            ok(away, "volume attach '%s'".formatted(PostgresServer.shared().lockedUrl() + "#" + name));
            elsewhere(away, change);
            for (var line : List.of(force, force.replace(" --force", ""))) {
                assertThat(ended(away, line, 6).err()).as(line)
                        .contains("was attached here", "volsh volume detach " + name).doesNotContain("--force");
            }
            assertThat(objects()).isEqualTo(before);
            var journal = Files.createDirectories(metadata(away).resolveSibling("journal/1"));
            assertThat(ended(away, "volume detach " + name, 5).err())
                    .contains("in a journal here", "volume detach " + name + " --force --dry-run");
            ended(away, "volume detach %s --force".formatted(name), 2);
            ok(away, "volume detach %1$s --force --confirm %1$s".formatted(name));
            assertThat(journal).doesNotExist();
        }

        var url = elsewhere(owner, ":1/");   // who made it may, and can finish it later
        assertThat(ended(owner, force.replace(" --force", ""), 6).err()).contains("--force --dry-run");
        assertThat(ended(owner, force, 6).err()).contains("are deleted", "volsh volume detach " + name);
        Files.writeString(metadata(owner), url);
        assertThat(ended(owner, "volume detach " + name, 4).err()).contains("finish it");
        ok(owner, force.replace(" --force", ""));
    }

    private static Path metadata(Scratch machine) throws IOException {
        try (var found = Files.walk(machine.home())) {
            return found.filter(path -> path.endsWith("meta.url")).findFirst().orElseThrow();
        }
    }

    /** Lets a machine look for the database at another place; what was written there before. */
    private static String elsewhere(Scratch machine, String place) throws IOException {
        var file = metadata(machine);
        String before = Files.readString(file);
        Files.writeString(file, before.lines().findFirst().orElseThrow().replaceFirst(":\\d+/", place) + "\n");
        return before;
    }

    @Test
    void whatCannotBeEnforcedIsNotOffered() {
        var machine = new Scratch(directory.resolve("one"));
        ok(machine, "volume create embedded");
        assertThat(ended(machine, "token create embedded --read-only", 2).err())
                .contains("could not be enforced", "PostgreSQL");
        ended(machine, "token list embedded", 2);
        ended(machine, "token create nothing", 3);
    }
}
