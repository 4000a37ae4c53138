package volsh.command.token;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

        assertThat(ended(owner, "token create %s --path /data".formatted(name), 2).err()).contains("only reads", "--read-only");
        ended(owner, "token create %s --path /nowhere --read-only".formatted(name), 3);
        ended(owner, "token create %s --path /data/sub/large --read-only".formatted(name), 2);
        assertThat(ok(owner, "token create %s --path /data --read-only -n".formatted(name)).out()).contains("reads /data");
        assertThat(ok(owner, "token list %s -o value:token".formatted(name)).out()).isEmpty();
        String made = ok(owner, "token create %s --path /data --read-only --expires 7d --note guest -o json".formatted(name)).out();
        String id = field(made, "token");
        String password = field(made, "password");
        String url = field(made, "url").replace("@", ":" + password + "@");
        assertThat(ok(owner, "token show %s %s".formatted(name, id)).out()).contains("/data", "read", "good", "guest").doesNotContain(password);

        ok(guest, "volume attach '%s'".formatted(url));
        assertThat(ok(guest, "ls %s:/ -o name".formatted(name)).out()).contains("data").doesNotContain("secret");
        ok(guest, "get %s:/data/sub/large %s".formatted(name, directory.resolve("got")));
        assertThat(Files.mismatch(file, directory.resolve("got"))).isEqualTo(-1);
        ended(guest, "cat %s:/secret/large".formatted(name), 3);
        assertThat(ended(guest, "put %s %s:/data/mine".formatted(file, name), 9).err()).contains("token that only reads");
        ended(guest, "token list " + name, 9);
        assertThat(ended(guest, "token create %s --read-only".formatted(name), 9).err()).contains("for the volume's owner").doesNotContain("ALTER ROLE");
        assertThat(ended(guest, "ls %s:/ --at -1m".formatted(name), 3).err()).contains("a token that shows no history").doesNotContain("retention");

        ok(owner, "token revoke %s %s".formatted(name, id));
        assertThat(ended(owner, "token revoke %s %s".formatted(name, id), 4).err()).contains("revoked already");
        assertThat(ok(owner, "token list %s --all -o value:state".formatted(name)).out()).isEqualTo("revoked\n");
        for (String line : List.of("ls %s:/", "volume show %s", "mount %s " + Files.createDirectory(directory.resolve("mnt")) + " --foreground")) {
            assertThat(ended(guest, line.formatted(name), 9).err()).as(line).contains("the token " + id + " was revoked or has expired").doesNotContain(password, "retry");
        }
        ok(owner, "volume destroy %1$s --confirm %1$s".formatted(name));
    }

    @Test
    void whatCannotBeEnforcedIsNotOffered() {
        var machine = new Scratch(directory.resolve("one"));
        ok(machine, "volume create embedded");
        assertThat(ended(machine, "token create embedded --read-only", 2).err()).contains("could not be enforced", "PostgreSQL");
        ended(machine, "token list embedded", 2);
        ended(machine, "token create nothing", 3);
    }
}
