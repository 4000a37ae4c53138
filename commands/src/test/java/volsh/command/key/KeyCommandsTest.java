package volsh.command.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;

/** Encrypted volumes and their keys by commands. */
final class KeyCommandsTest {
    @TempDir
    Path directory;

    private Path key(String name, int length) throws IOException {
        var file = Files.createFile(directory.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.write(file, new byte[length]);
    }

    private static Ended ended(Scratch machine, String line, int status) {
        Ended ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        return ended;
    }

    @Test
    void aVolumeIsEncryptedAndItsKeysAreManaged() throws Exception {
        var machine = new Scratch(directory.resolve("home"));
        var one = key("one.key", 32);
        var two = key("two.key", 64);
        ended(machine, "volume create secret --encrypt key-file:" + one + " -n", 0);
        ended(machine, "volume create secret --encrypt key-file:" + one, 0);
        var file = Files.writeString(directory.resolve("file"), "planted ".repeat(5_000));
        ended(machine, "put %s secret:/".formatted(file), 0);
        assertThat(ended(machine, "cat secret:/file", 0).out()).isEqualTo(Files.readString(file));
        assertThat(ended(machine, "volume show secret -o value:encryption", 0).out()).isEqualTo("on\n");

        ended(machine, "key add secret ops key-file:%s -n".formatted(two), 0);
        ended(machine, "key add secret ops key-file:" + two, 0);
        assertThat(ended(machine, "key list secret -o value:key", 0).out()).isEqualTo("default\nops\n");
        ended(machine, "key add secret ops key-file:" + two, 4);
        ended(machine, "key remove secret default -y", 0);
        ended(machine, "key rotate secret ops key-file:%s -n".formatted(one), 0);
        ended(machine, "key use secret key-file:" + two, 0);
        assertThat(ended(machine, "key use secret key-file:" + one, 9).err()).contains("wrong key for volume 'secret'");
        assertThat(ended(machine, "key remove secret ops -y", 4).err()).contains("is the last key");
        assertThat(ended(machine, "key rotate secret opps key-file:" + one, 3).err()).contains("ops");
    }

    /** A volume whose key cannot be had is no healthy one, and what status says to type makes it one. */
    @Test
    void statusSaysThatTheKeyCannotBeHad() throws Exception {
        var machine = new Scratch(directory.resolve("home"));
        var file = key("secret.key", 32);
        ended(machine, "volume create secret --encrypt key-file:" + file, 0);
        assertThat(ended(machine, "status", 0).err()).isEqualTo("all is well\n");
        var moved = Files.move(file, directory.resolve("moved.key"));
        var locked = ended(machine, "status", 9);
        assertThat(locked.err()).contains("1 problem: volume secret is locked",
                "next: volsh key use secret key-file:/etc/volsh/secret.key");
        assertThat(locked.out()).contains("key file %s does not exist".formatted(file));
        assertThat(ended(machine, "volume list -o csv --columns name,state,reason", 10).out())
                .contains("secret,locked,key file");
        // as the hint says, with the place where the key is now
        ended(machine, "key use secret key-file:" + moved, 0);
        ended(machine, "status", 0);
        Files.write(moved, new byte[] {1}, StandardOpenOption.APPEND);
        assertThat(ended(machine, "status", 9).err()).contains("volume secret is locked", "next: volsh key use secret");
    }

    /** The hint takes the kind of key that opens the volume; {@code PassphraseTest} pastes it. */
    @Test
    void theHintIsOfTheKindOfTheKey() throws Exception {
        var machine = new Scratch(directory.resolve("home"));
        ended(machine, "volume create secret --encrypt 'command:echo a long passphrase'", 0);
        ended(machine, "status", 0);
        Files.delete(source());
        var locked = ended(machine, "status", 9);
        assertThat(locked.err()).contains("next: volsh key use secret passphrase");
        assertThat(locked.out()).contains("this machine does not know where its key is");
        ended(machine, "key use secret 'command:echo a long passphrase'", 0);
        ended(machine, "status", 0);
        Files.writeString(source(), "env:NOT_SET_ANYWHERE\n");
        assertThat(ended(machine, "status", 9).out()).contains("NOT_SET_ANYWHERE, which is not set");
    }

    private Path source() throws IOException {
        try (var all = Files.walk(directory.resolve("home"))) {
            return all.filter(path -> path.getFileName().toString().equals("key-source")).findFirst().orElseThrow();
        }
    }

    @Test
    void whatCannotWorkIsRefusedAndNothingIsMade() throws Exception {
        var machine = new Scratch(directory.resolve("home"));
        assertThat(ended(machine, "volume create s --encrypt key-file:" + key("short", 31), 2).err())
                .contains("a key needs at least 32 random bytes, not 31");
        ended(machine, "volume create s --encrypt key-file:" + directory.resolve("none"), 3);
        assertThat(ended(machine, "volume create s --encrypt passphrase --no-input", 9).err())
                .contains("there is no terminal");
        assertThat(ended(machine, "volume create s --encrypt env:NOT_SET_ANYWHERE", 9).err()).contains("is not set");
        assertThat(ended(machine, "volume create s --encrypt 'command:exit 3'", 6).err())
                .contains("failed with exit code 3");
        ended(machine, "volume create s --encrypt rot13:x", 2);
        var loose = key("loose", 32);
        Files.setPosixFilePermissions(loose, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(ended(machine, "volume create s --encrypt key-file:" + loose, 9).err())
                .contains("can be read or changed by others", "chmod 600");
        assertThat(ended(machine, "volume list -o value:name", 0).out()).isEmpty();
        ended(machine, "volume create plain", 0);
        assertThat(ended(machine, "key list plain", 2).err()).contains("is not encrypted");
        assertThat(ended(machine, "volume create s --encrypt 'command:echo a long passphrase'", 0).err())
                .contains("created volume 's'");
    }
}
