package volsh.command.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.fs.FsException;
import volsh.fs.Lock;
import volsh.fs.Owner;

/** Who has a volume open, and throwing one out; policies of directories. */
final class VolumeSessionsTest {
    @TempDir
    Path directory;

    private static String ok(Scratch machine, String line) {
        Ended ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended.out();
    }

    private static String refused(Scratch machine, String line, int status) {
        Ended ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        return ended.err();
    }

    @Test
    void aSessionIsShownWithItsLocksAndThrownOut() throws Exception {
        var machine = new Scratch(directory);
        ok(machine, "volume create v");
        assertThat(ok(machine, "volume sessions v -o json").strip()).isEqualTo("[]");
        var volumes = machine.volumes();
        var open = volumes.open("v", Access.WRITE, "mount /somewhere");
        open.vfs().locking().tryLock(7, new Lock(Lock.Kind.RANGE, true, 10, 19, 1, 4711));
        var shown = ok(machine, "volume sessions v -o json");
        assertThat(shown).contains("\"kind\": \"mount\"", "\"state\": \"alive\"", "\"locks\": 1",
                "inode 7: fcntl 10-19 alone by process 4711");
        var id = ok(machine, "volume sessions v -o value:id").strip();

        assertThat(refused(machine, "volume sessions v --fence 999 -y", 3)).contains("no session 999");
        assertThat(refused(machine, "volume sessions v --fence %s -y".formatted(id), 5))
                .contains("is alive", "--force");
        assertThat(refused(machine, "volume sessions v --force", 2)).contains("--fence");
        assertThat(ok(machine, "volume sessions v --fence %s --force -n".formatted(id)))
                .contains("end", "session " + id);
        assertThat(ok(machine, "volume sessions v -o value:id").strip()).as("only planned").isEqualTo(id);
        ok(machine, "volume sessions v --fence %s --force -y".formatted(id));
        assertThat(ok(machine, "volume sessions v -o json").strip()).isEqualTo("[]");
        org.assertj.core.api.Assertions.assertThatThrownBy(() ->
                open.vfs().makeDirectory(1, volsh.fs.Name.of("d"), 0755, Owner.ROOT))
                .isInstanceOf(FsException.class);
        try {
            open.close();
        } catch (java.io.IOException fenced) {
            // as it should be
        }
    }

    @Test
    void policiesAreSetInheritedAndTakenAway() throws Exception {
        var machine = new Scratch(directory);
        ok(machine, "volume create v");
        ok(machine, "mkdir -p v:/data/images");
        assertThat(ok(machine, "consistency show v:/data/images -o value:policy").strip()).isEqualTo("none");
        assertThat(ok(machine, "consistency set v:/data immutable -n")).contains("set", "immutable");
        ok(machine, "consistency set v:/data relaxed:90s");
        assertThat(ok(machine, "consistency show v:/data/images -o value:policy").strip()).isEqualTo("relaxed:1m30s");
        assertThat(ok(machine, "consistency show v:/data/images -o value:from").strip()).isEqualTo("v:/data");
        ok(machine, "consistency set v:/data/images strict");
        assertThat(ok(machine, "consistency show v:/data/images -o value:policy").strip()).isEqualTo("strict");
        assertThat(ok(machine, "consistency list v -o json")).contains("v:/data/images", "relaxed:1m30s");
        ok(machine, "consistency unset v:/data/images");
        assertThat(ok(machine, "consistency show v:/data/images -o value:policy").strip()).isEqualTo("relaxed:1m30s");
        assertThat(ok(machine, "consistency unset v:/data/images -n")).doesNotContain("relaxed");
        assertThat(refused(machine, "consistency set v:/data quickly", 2)).contains("close-to-open");
        assertThat(refused(machine, "consistency set v:/nowhere strict", 3)).contains("nowhere");
    }
}
