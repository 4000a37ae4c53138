package volsh.command.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

/** A home with a name; in a protected one a person is asked, and a script is not. */
final class ContextTest {
    @TempDir
    Path directory;

    @Test
    void aProtectedHomeAsksAPersonBeforeEveryChange() {
        var scratch = new Scratch(directory.resolve("home"));
        assertThat(scratch.run("context show -o json").out()).isEqualTo("[]\n");
        assertThat(scratch.type("volume create free", "").status()).as("not protected yet").isZero();
        assertThat(scratch.run("context set lab").status()).isZero();
        assertThat(scratch.type("volume create lab", "").status()).as("a name alone protects nothing").isZero();
        assertThat(scratch.run("context set prod --protected").err()).contains("'prod' and protected");
        assertThat(scratch.run("context show -o value:protected").out()).isEqualTo("true\n");
        var refused = scratch.type("volume create a", "n\n");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("create volume 'a'", "this home is protected: continue?",
                "nothing was changed");
        assertThat(scratch.type("volume create a", "y\n").status()).isZero();
        assertThat(scratch.type("volume create b -y", "").status()).isZero();
        assertThat(scratch.type("volume ensure b", "").status()).as("nothing would change").isZero();
        assertThat(scratch.type("volume list", "").status()).isZero();
        assertThat(scratch.run("volume create c").status()).as("where nobody can answer it is as everywhere").isZero();
        assertThat(scratch.run("context set ../x").status()).isEqualTo(2);
        assertThat(scratch.type("context clear", "y\n").status()).isZero();
        assertThat(scratch.type("volume create d", "").status()).isZero();
    }
}
