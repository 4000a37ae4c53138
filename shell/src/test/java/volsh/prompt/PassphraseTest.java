package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A passphrase is asked for at the terminal, is never shown there, and is asked for once in a session. */
@Timeout(300)
final class PassphraseTest {
    private static final String PASSPHRASE = "correct horse battery";

    @TempDir
    Path directory;

    private AtTerminal.Shown run(String[] words, String... steps) throws Exception {
        var shown = new AtTerminal(directory).arguments(words).type(steps);
        assertThat(shown.screen()).doesNotContain(PASSPHRASE).doesNotContain("wrong horse");
        return shown;
    }

    private static String[] words(String line) {
        return line.split(" ");
    }

    @Test
    void isAskedForAndNeverShown() throws Exception {
        var question = "Passphrase of volume 'secret': ";
        var typo = run(words("volume create secret --encrypt passphrase"),
                question, PASSPHRASE + "\n", "The same again: ", "wrong horse\n");
        assertThat(typo.status()).as(typo.screen()).isEqualTo(1);
        assertThat(typo.screen()).contains("the two passphrases differ; nothing was changed");
        var made = run(words("volume create secret --encrypt passphrase"),
                question, PASSPHRASE + "\n", "The same again: ", PASSPHRASE + "\n", "created volume 'secret'", "");
        assertThat(made.status()).as(made.screen()).isZero();
        Files.writeString(directory.resolve("a.txt"), "planted words\n");
        var other = run(words("put a.txt secret:/"), question, "wrong horse\n", "wrong key for volume 'secret'", "");
        assertThat(other.status()).as(other.screen()).isEqualTo(9);

        // a session asks once, and shows what is typed afterwards
        var session = run(new String[0], "volsh> ", "put a.txt secret:/\r", question, PASSPHRASE + "\r",
                "volsh> ", "cat secret:/a.txt\r", "planted words", "", "volsh> ", "exit 3\r");
        assertThat(session.status()).as(session.screen()).isEqualTo(3);
        assertThat(session.screen()).containsOnlyOnce(question).contains("exit");

        // the hint of a machine that does not know where the key is
        try (var all = Files.walk(directory.resolve("home"))) {
            Files.delete(all.filter(path -> path.endsWith("key-source")).findFirst().orElseThrow());
        }
        var locked = run(words("status"), "volsh key use secret passphrase", "");
        assertThat(locked.status()).as(locked.screen()).isEqualTo(9);
        var pasted = run(words("key use secret passphrase"), question, PASSPHRASE + "\n");
        assertThat(pasted.status()).as(pasted.screen()).isZero();
        assertThat(run(words("status"), "all is well", "").status()).isZero();
    }

    /** Ctrl-C at the question ends the command, and the terminal shows again what is typed. */
    @Test
    void ctrlCLeavesATerminalThatShowsWhatIsTyped() throws Exception {
        run(new String[] {"volume", "create", "secret", "--encrypt", "command:echo a long passphrase"},
                "created volume 'secret'", "");
        try (var all = Files.walk(directory.resolve("home"))) {
            Files.writeString(all.filter(path -> path.endsWith("key-source")).findFirst().orElseThrow(),
                    "passphrase\n");
        }
        var once = run(words("ls secret:/"), "Passphrase of volume 'secret': ", AtTerminal.CTRL_C);
        assertThat(once.status()).as(once.screen()).isEqualTo(130);
        var session = run(new String[0], "volsh> ", "ls secret:/ && cat secret:/x\r",
                "Passphrase of volume 'secret': ", "half" + AtTerminal.CTRL_C,
                "cancelled", "", "volsh> ", "println 'vis' + 'ible'\r", "visible", "", "volsh> ", "exit 3\r");
        assertThat(session.status()).as(session.screen()).isEqualTo(3);
        assertThat(session.screen()).contains("println").doesNotContain("half");
    }
}
