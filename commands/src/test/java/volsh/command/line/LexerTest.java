package volsh.command.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import volsh.command.failure.CommandFailure;
import volsh.command.render.EscapedText;

/** Words, blocks and operators of a command line, and where they stand. */
final class LexerTest {
    private static List<String> words(String line) {
        return Lexer.tokens(line).stream().map(token -> switch (token) {
            case Word word -> word.text();
            case Token.Operator operator -> "<" + operator.sign() + ">";
            case Token.Block block -> block.source();
            case Token.SystemLine system -> "!" + system.command();
        }).toList();
    }

    @Test
    void quotesAndBackslashesKeepBlanks() {
        assertThat(words("ls 'a b' \"c d\" e\\ f '' \"\"")).containsExactly("ls", "a b", "c d", "e f", "", "");
        assertThat(words("a'b'\"c\"d")).containsExactly("abcd");
        assertThat(words("'$x' \\$x a$ 5$ *.jpg # comment")).containsExactly("$x", "$x", "a$", "5$", "*.jpg");
    }

    @Test
    void escapedTextIsMeantAsWritten() {
        assertThat(words("ls $'a\\x1b]0;b\\x07' $'\\n\\t\\r\\e\\\\\\x27\\'' a$'b'\"c\" \"$'x'\""))
                .containsExactly("ls", "a\u001b]0;b\u0007", "\n\t\r\u001b\\''", "abc", "$'x'");
        assertThat(words("$'\\u202e\\xc3\\xbc\\ud83d\\ude80' $'\\xff\\xfe' $'\\q\\x\\xg'"))
                .containsExactly("\u202eü\ud83d\ude80", "\\xff\\xfe", "\\q\\x\\xg");
        assertThat(catchThrowableOfType(CommandFailure.class, () -> Lexer.tokens("ls $'abc\\'"))).isNotNull();
    }

    /** Whatever a name is, the word that completion writes for it means it, and sends nothing to a terminal. */
    @Test
    void everyNameHasAWord() {
        var random = new Random(7);
        var letters = ("ab \t\n"
                + "\r\u001b\u0007\u009b\u202e\u200b\u2066\ufeff'\"\\$`!;|&<>(){}[]*?#~-=:/@%,"
                + ".üß数\ud83d\ude80\u0000\ud800")
                .toCharArray();
        for (int i = 0; i < 20_000; i++) {
            var name = new StringBuilder();
            for (int length = 1 + random.nextInt(6); length > 0; length--) {
                name.append(letters[random.nextInt(letters.length)]);
            }
            String word = EscapedText.word(name.toString());
            assertThat(volsh.command.render.Printable.is(word)).as(word).isTrue();
            assertThat(words("ls " + word + " x")).as(word).containsExactly("ls", name.toString(), "x");
        }
    }

    @Test
    void operatorsNeedBlanksAroundThem() {
        assertThat(words("a | b || c && d & e ; f > g >> h")).containsExactly("a", "<|>", "b", "<||>", "c", "<&&>", "d",
                "<&>", "e", "<;>", "f", "<>>", "g", "<>>>", "h");
        assertThat(words("a|b a>b x&y file:///p?a=1&b=2")).containsExactly("a|b", "a>b", "x&y", "file:///p?a=1&b=2");
        assertThat(words("volume list; df;")).containsExactly("volume", "list", "<;>", "df", "<;>");
        assertThat(words("a;b '|' \"&&\"")).containsExactly("a;b", "|", "&&");
    }

    @Test
    void codeIsTakenWhole() {
        assertThat(words("x | where { it.a > 1 && it.b == '}' } | each { [it] }")).containsExactly("x", "<|>", "where",
                "{ it.a > 1 && it.b == '}' }", "<|>", "each", "{ [it] }");
        Word word = (Word) Lexer.tokens("a${b.c('}')}d$e").getFirst();
        assertThat(word.parts()).containsExactly(new Word.Part.Plain("a"), new Word.Part.Code("b.c('}')", 1),
                new Word.Part.Plain("d"), new Word.Part.Code("e", 13));
    }

    @Test
    void theSystemsShellGetsTheRest() {
        assertThat(words("ls x:/ | !grep 'a | b' | wc -l"))
                .containsExactly("ls", "x:/", "<|>", "!grep 'a | b' | wc -l");
        assertThat(words("echo hi!")).containsExactly("echo", "hi!");
    }

    @Test
    void whatIsOpenIsPointedAt() {
        var failure = catchThrowableOfType(CommandFailure.class, () -> Lexer.tokens("ls 'abc"));
        assertThat(failure.problem().details()).containsExactly("ls 'abc", "   ^");
        assertThat(catchThrowableOfType(CommandFailure.class, () -> Statement.parse("a | | b")).problem().details())
                .containsExactly("a | | b", "    ^");
        assertThat(catchThrowableOfType(CommandFailure.class, () -> Statement.parse("a &&"))).isNotNull();
        assertThat(catchThrowableOfType(CommandFailure.class, () -> Statement.parse("a >"))).isNotNull();
        assertThat(Statement.parse("a ;")).hasSize(1);
    }

    /** Whatever is typed, every token lies within the line, in order, or the line is refused with a reason. */
    @Test
    void anyLineIsCutOrRefused() {
        long seed = Long.getLong("volsh.seed", new Random().nextLong());
        System.out.println("LexerTest seed " + seed);
        var random = new Random(seed);
        String letters = "ab $'\"\\{}()|&;>!#=.-:/\n";
        int cut = 0;
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            var line = new StringBuilder();
            for (int length = random.nextInt(24); length > 0; length--) {
                line.append(letters.charAt(random.nextInt(letters.length())));
            }
            try {
                int last = 0;
                for (Token token : Lexer.tokens(line.toString())) {
                    assertThat(token.start()).isGreaterThanOrEqualTo(last);
                    assertThat(token.end()).isBetween(token.start(), line.length());
                    last = token.end();
                }
                cut++;
            } catch (CommandFailure reason) {
                assertThat(reason.problem().details()).hasSize(2);
                refused++;
            }
        }
        assertThat(cut).isPositive();
        assertThat(refused).isPositive();
    }
}
