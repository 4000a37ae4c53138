package volsh.command.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.postgrestest.PostgresServer;

/** A volume whose metadata is in PostgreSQL, by commands on two machines. */
final class SharedVolumeCommandsTest {
    @TempDir
    Path directory;
    private Scratch first;
    private Scratch second;
    private String database;
    private String name;

    @BeforeEach
    void machines() throws Exception {
        first = new Scratch(directory.resolve("first"));
        second = new Scratch(directory.resolve("second"));
        database = PostgresServer.shared().url();
        name = PostgresServer.freshName();
        ok(first, "store add lake " + directory.resolve("lake").toUri());
    }

    private static Ended ok(Scratch machine, String line) {
        Ended ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    private static String refused(Scratch machine, String line, int status) {
        Ended ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        return ended.err();
    }

    @Test
    void oneMakesItTheOtherAttachesIt() throws Exception {
        var file = Files.writeString(directory.resolve("file"), "hello");
        assertThat(ok(first, "volume create %s --meta %s --store lake -n".formatted(name, database)).out())
                .contains("create");
        ok(first, "volume create %s --meta %s --store lake".formatted(name, database));
        ok(first, "put %s %s:/file".formatted(file, name));
        String shown = database + "#" + name;
        assertThat(ok(first, "volume show %s -o value:meta".formatted(name)).out()).isEqualTo(shown + "\n");
        assertThat(ok(first, "volume show %s --explain".formatted(name)).out()).contains("its metadata is in " + shown);

        assertThat(ok(second, "volume attach '%s' -n".formatted(shown)).out()).contains("attach", name, "lake");
        assertThat(ok(second, "volume list -o name").out()).isEmpty();
        ok(second, "volume attach '%s' --as ours".formatted(shown));
        assertThat(ok(second, "cat ours:/file").out()).isEqualTo("hello");
        ok(second, "put %s ours:/again".formatted(file));
        assertThat(ok(first, "ls %s:/ -o name".formatted(name)).out()).contains("again", "file");
        assertThat(ok(first, "durability %s:/again -o value:state".formatted(name)).out()).isEqualTo("committed\n");
        ok(first, "durability wait %s:/again --until committed".formatted(name));

        ok(second, "volume detach ours");
        assertThat(ok(second, "volume list -o name").out()).isEmpty();
        ok(second, "volume attach %s --volume %s".formatted(database, name));
        ok(second, "volume destroy %s --confirm %s".formatted(name, name));
        assertThat(refused(first, "volume show " + name, 6))
                .contains("no longer in its database", "volsh volume detach " + name);
        ok(first, "volume detach " + name);
    }

    /** One volume whose database does not answer does not hide what the others say. */
    @Test
    void oneThatCannotBeAskedDoesNotHideTheOthers() throws Exception {
        ok(first, "volume create %s --meta %s --store lake".formatted(name, database));
        ok(first, "volume create zz");
        ok(first, "cache ttl zz:/ 1h");
        ok(first, "snapshot create zz@s1");
        try (var found = Files.walk(directory.resolve("first"))) {
            var url = found.filter(path -> path.endsWith("meta.url")).findFirst().orElseThrow();
            Files.writeString(url, Files.readAllLines(url).getFirst().replaceFirst(":\\d+/", ":1/") + "\n");
        }
        for (var question : List.of("cache ttls -o csv --columns volume,path",
                "snapshot list -o csv --columns volume,name", "df -o csv --columns volume,used")) {
            var ended = first.run(question);
            assertThat(ended.out()).as(question).contains("zz,");
            assertThat(ended.err()).as(question).contains("warning: ", "127.0.0.1:1");
            assertThat(ended.status()).as(question).isEqualTo(10);
        }
        assertThat(first.run("cache flush").status()).isEqualTo(10);
        refused(first, "cache ttls " + name, 6);
    }

    @Test
    void whatIsWrongIsSaidWithoutThePassword() {
        String secret = "postgres://guarded:se%2Fcret@127.0.0.1:1/volsh";
        assertThat(refused(first, "volume create x --store lake --meta " + secret, 6)).contains("127.0.0.1:1")
                .doesNotContain("se%2Fcret", "se/cret");
        assertThat(refused(first, "volume create x --store lake --meta postgres://a:secret@", 2))
                .contains("--meta", "postgres://user@host/database")
                .doesNotContain("secret");
        assertThat(refused(first, "volume create x --meta " + database, 2)).contains("--store");
        assertThat(refused(first, "volume attach '%s#nothing-there'".formatted(database), 3))
                .contains("no volume 'nothing-there'");
        assertThat(refused(first, "volume attach '%s#a' --force".formatted(database), 2)).contains("--force");
        assertThat(refused(first, "volume attach '%s#a' --region x".formatted(database), 2)).contains("region");
        assertThat(refused(first, "volume attach '%s#a' --volume b".formatted(database), 2)).contains("named twice");
        ok(first, "volume create embedded");
        assertThat(refused(first, "volume detach embedded", 2)).contains("on this machine only");
    }
}
