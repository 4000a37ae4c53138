package volsh.command.typing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Colours, tips and pages while one types. */
final class ColouringTest {
    private final Typist typist = new Typist();

    @Test
    void whatDoesNotExistIsWrongBeforeEnter() {
        assertThat(typist.coloured("moutn x /y")).isEqualTo("<WRONG:moutn> x /y");
        assertThat(typist.coloured("volume destory x")).isEqualTo("<COMMAND:volume> <WRONG:destory> x");
        assertThat(typist.coloured("volume create x --blok-size 4M"))
                .isEqualTo("<COMMAND:volume> <COMMAND:create> x <WRONG:--blok-size> 4M");
        assertThat(typist.coloured("volume list -Z ")).isEqualTo("<COMMAND:volume> <COMMAND:list> <WRONG:-Z> ");
        assertThat(typist.coloured("volume list | whree { it }"))
                .startsWith("<COMMAND:volume> <COMMAND:list> <OPERATOR:|> <WRONG:whree>");
    }

    @Test
    void aWordThatIsBeingTypedIsNotWrongYet() {
        assertThat(typist.coloured("vol")).isEqualTo("<COMMAND:vol>");
        assertThat(typist.coloured("mou")).isEqualTo("mou");
        assertThat(typist.coloured("hel")).isEqualTo("hel");
        assertThat(typist.coloured("volume cre")).isEqualTo("<COMMAND:volume> cre");
        assertThat(typist.coloured("volume create x --blo")).isEqualTo("<COMMAND:volume> <COMMAND:create> x --blo");
        assertThat(typist.coloured("xyzz")).isEqualTo("<WRONG:xyzz>");
    }

    @Test
    void optionsStringsAndCodeInCommands() {
        assertThat(typist.coloured("volume create 'a b' --block-size=4M -q")).isEqualTo(
                "<COMMAND:volume> <COMMAND:create> <STRING:'a b'> <OPTION:--block-size>=4M <OPTION:-q>");
        assertThat(typist.coloured("volume show ${hot[0].name} -o json")).isEqualTo(
                "<COMMAND:volume> <COMMAND:show> <CODE:${hot[0].name}> <OPTION:-o> json");
        assertThat(typist.coloured("volume list | where { it.used > 1.GiB } > x # all")).isEqualTo(
                "<COMMAND:volume> <COMMAND:list> <OPERATOR:|> <COMMAND:where> { it.used > <NUMBER:1>.GiB } "
                        + "<OPERATOR:>> x <COMMENT:# all>");
        assertThat(typist.coloured("ls -lR x:/ && df"))
                .isEqualTo("<COMMAND:ls> <OPTION:-lR> x:/ <OPERATOR:&&> <COMMAND:df>");
        assertThat(typist.coloured("!rm -rf x")).isEqualTo("<SYSTEM:!rm -rf x>");
        assertThat(typist.coloured("time volume list")).isEqualTo("<COMMAND:time> <COMMAND:volume> <COMMAND:list>");
        assertThat(typist.coloured("volsh volume list")).isEqualTo("<COMMAND:volsh> <COMMAND:volume> <COMMAND:list>");
        assertThat(typist.coloured("put -- -x y:/")).isEqualTo("<COMMAND:put> <OPTION:--> -x y:/");
    }

    @Test
    void valuesBeforePipesAndVariables() {
        assertThat(typist.coloured("volumes | where used > 1 | slect x")).isEqualTo("volumes <OPERATOR:|> "
                + "<COMMAND:where> used <OPERATOR:>> 1 <OPERATOR:|> <WRONG:slect> x");
        assertThat(typist.coloured("volumes|where{ a > 1 }|count"))
                .isEqualTo("volumes<OPERATOR:|><COMMAND:where>{ a > <NUMBER:1> }<OPERATOR:|><COMMAND:count>");
        assertThat(typist.coloured("big = volume lst | count"))
                .isEqualTo("big = <COMMAND:volume> <WRONG:lst> <OPERATOR:|> <COMMAND:count>");
        assertThat(typist.coloured("[3, 1] | sort")).isEqualTo("[<NUMBER:3>, <NUMBER:1>] <OPERATOR:|> <COMMAND:sort>");
    }

    @Test
    void codeLightly() {
        assertThat(typist.coloured("def x = 'a' + 12.5 // sum"))
                .isEqualTo("<KEYWORD:def> x = <STRING:'a'> + <NUMBER:12.5> <COMMENT:// sum>");
        assertThat(typist.coloured("if (x) { \"open")).isEqualTo("<KEYWORD:if> (x) { <STRING:\"open>");
        assertThat(typist.coloured("= \"\"\"a\nb\"\"\"")).isEqualTo("= <STRING:\"\"\"a\nb\"\"\">");
    }

    @Test
    void whatComesNext() {
        assertThat(typist.tip("mount ")).isEqualTo(
                new Tip("mount [OPTION...] VOLUME[:PATH] DIRECTORY", "VOLUME[:PATH]",
                        "Volume, or a directory in it; VOLUME@SNAPSHOT for a snapshot of it;"));
        assertThat(typist.tip("mount x ").current()).isEqualTo("DIRECTORY");
        assertThat(typist.tip("volume").usage()).startsWith("volume create|ensure|list");
        assertThat(typist.tip("volume create x --block-size ").usage()).isEqualTo("--block-size SIZE");
        assertThat(typist.tip("volume create x --block-size=").meaning()).isNotBlank();
        assertThat(typist.tip("volume list | where ").usage()).isEqualTo("| where COLUMN > VALUE");
        assertThat(typist.tip("")).isEqualTo(Tip.NONE);
        assertThat(typist.tip("def x = 1")).isEqualTo(Tip.NONE);
    }

    @Test
    void thePageOfTheWordUnderTheCursor() {
        var subject = new Subject(typist.lexicon);
        assertThat(subject.page("volume create x", 9, 80, false).text()).contains("volsh volume create");
        assertThat(subject.page("volume create x", 3, 80, false).text()).contains("Create, show, change");
        assertThat(subject.page("volume list | where { it.x }", 17, 80, false).text())
                .contains("Rows go through pipes");
        assertThat(subject.page("def v = volume.create 'x'", 18, 80, false).text()).contains("volsh volume create");
        assertThat(subject.page("println 1", 3, 80, false).text()).contains("every command as a method");
        var atOption = subject.page("volume create x --block-size 4MiB", 20, 80, false);
        assertThat(atOption.text().lines().toList().get(atOption.line())).contains("--block-size SIZE");
        assertThat(subject.page("volume create x --block-size 4MiB", 33, 80, false)).isEqualTo(atOption);
        assertThat(subject.page("volume create x", 15, 80, false).line()).isZero();
        assertThat(subject.page("cd x", 4, 80, false).text()).contains("VOLUME:/path");
        assertThat(subject.page("", 0, 80, false).text()).contains("Keys");
    }

    /** Half of what is typed is nonsense: nothing may fail on it, at any cursor. */
    @Test
    void noLineFails() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        var random = new Random(seed);
        String[] parts = {"volume ", "create ", "x ", "--block-size", "=", "'", "\"", "{ ", "} ", "${", "| ", "where ",
                "it.", "> ", ">> ", "; ", "&& ", "\\", "#", "!", ":", "-", "--", "def ", "(", ")", "/*", "//", "\n",
                "é", "select a,b ", "time ", "watch ", "volumes*.", "1.GiB "};
        int lines = 0;
        for (int i = 0; i < 1_000; i++) {
            var line = new StringBuilder();
            for (int n = random.nextInt(9); n >= 0; n--) {
                line.append(parts[random.nextInt(parts.length)]);
            }
            String text = line.toString();
            int cursor = random.nextInt(text.length() + 1);
            Completed completed = typist.complete(new StringBuilder(text).insert(cursor, "▮").toString());
            assertThat(completed.start()).as(text).isBetween(0, cursor);
            Tip.of(text, cursor, typist.lexicon);
            new Subject(typist.lexicon).page(text, cursor, 80, false);
            for (Mark mark : new Colouring(typist.lexicon).marks(text)) {
                assertThat(mark.start()).as(text).isBetween(0, mark.end());
                assertThat(mark.end()).as(text).isLessThanOrEqualTo(text.length());
            }
            lines++;
        }
        assertThat(lines).isEqualTo(1_000);
    }
}
