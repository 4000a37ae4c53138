package volsh.command.line;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class AliasesTest {
    private final Aliases aliases = new Aliases();

    @BeforeEach
    void some() {
        aliases.put("ll", "ls -l");
        aliases.put("big", "volume list | sort -used");
        aliases.put("lla", "ll -a");
        aliases.put("loop", "loop -x; other");
        aliases.put("other", "loop");
    }

    @Test
    void aNameIsReplacedWhereACommandBegins() {
        assertThat(aliases.expand("ll a:/")).isEqualTo("ls -l a:/");
        assertThat(aliases.expand("df; ll a:/ && ll b:/ || ll c:/ & ll d:/"))
                .isEqualTo("df; ls -l a:/ && ls -l b:/ || ls -l c:/ & ls -l d:/");
        assertThat(aliases.expand("big | first 3")).isEqualTo("volume list | sort -used | first 3");
        assertThat(aliases.expand("lla x:/")).isEqualTo("ls -l -a x:/");
    }

    /** Hints and manuals are written for the system's shell. */
    @Test
    void theProgramItselfIsLeftOut() {
        assertThat(aliases.expand("volsh volume list")).isEqualTo("volume list");
        assertThat(aliases.expand("volsh ll a:/ && volsh df; volsh")).isEqualTo("ls -l a:/ && df; ");
        assertThat(new Aliases().expand("volsh ls volsh:/")).isEqualTo("ls volsh:/");
    }

    @Test
    void andNowhereElse() {
        for (String line : new String[] {"ls ll", "volume list | ll", "'ll' x", "!ll x", "ll=3", "put ll x:/",
                "ls volsh", "alias volsh=x"}) {
            assertThat(aliases.expand(line)).isEqualTo(line);
        }
    }

    @Test
    void anAliasOfItselfEnds() {
        assertThat(aliases.expand("loop")).isEqualTo("loop -x; loop");
    }
}
