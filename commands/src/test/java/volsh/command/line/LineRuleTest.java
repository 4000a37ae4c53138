package volsh.command.line;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What a line is, table by table; nothing runs. */
final class LineRuleTest {
    private static final Set<String> COMMANDS = Set.of("volume", "mount", "ls", "bench", "snapshot", "df", "find",
            "put", "set");
    private static final Set<String> NAMES = Set.of("volumes", "emit", "hot", "twice", "expect");
    private static final LineRule RULE = new LineRule(COMMANDS::contains, NAMES::contains);

    @TestFactory
    Stream<DynamicTest> everyLineIsOneThing() {
        return Stream.of(
                "", "nothing", "   ", "nothing", "# volume list", "nothing",
                "volume list", "command", "volume", "command", "  df", "command", "volume list; df", "command",
                "df; ls x:/", "command",
                "mount train-a /mnt/a", "command", "ls -l /x", "command", "bench run x --block-size 4MiB", "command",
                "snapshot create v@s1", "command", "put . vol:/x", "command", "put .hidden vol:/x", "command",
                "find -name x", "command",
                ":volume list", "command", ":anything", "command", "set +e", "command", "volume == 3", "command",
                "volume = 3", "code", "volume.list()", "code", "mount(v, '/x')", "code", "mount (v, '/x')", "code",
                "volume += 1", "code",
                "volume << 1", "code", "ls['a']", "code",
                "=volume", "code", "= 1 + 1", "code", "def x = 1", "code", "x = 1", "code", "x = :volume list", "x is command at 5",
                "1 + 1", "code",
                "hot", "code", "hot[0].name", "code", "volumes.findAll { it.used > 1.GiB }", "code", "emit hot", "code",
                "twice 21", "code",
                "println 'x'", "code", "if (hot) { df() }", "code", "for (v in volumes) { println v }", "code",
                "import java.util.List", "code",
                "int n = 3", "code", "String s = 'x'", "code", "List<String> l = []", "code", "[1, 2].sum()", "code",
                "'text'.size()", "code",
                "expect(1 == 1)", "code", "x - 1", "code", "x in volumes", "code", "new Foo()", "code", "class Foo { }",
                "code", "{ -> 1 }()", "code",
                "while (true) { }", "code", "unknown.property", "code", "unknown(1)", "code", "unknown + 1", "code",
                "@Field int x", "code",
                "!ls | wc", "system", "! date", "system",
                "volumes | where used > 1", "piped volumes", "volumes|where{ used > 1 }|select name", "piped volumes",
                "[[a: 1], [a: 2]] | sort -a", "piped [[a: 1], [a: 2]]", "hot.findAll { it.a | it.count } | count",
                "piped hot.findAll { it.a | it.count }", "$hot | count", "piped $hot", "(1..5) | each { it * 2 }",
                "piped (1..5)", "'a | count'", "code", "a | b", "code", "a || count", "code", "a | counter", "code",
                "hot.x(') | count') | last", "piped hot.x(') | count')",
                "println hot | count", "code", "emit hot | count", "code", "= a | count", "code",
                "if (a) b | count", "code", "df|where used>1", "command", "df | count", "command",
                "big = volume list | where used > 1", "big is command at 6", "def big = volumes | count",
                "big is piped at 10", "big = df | count", "big is command at 6", "big = volume list",
                "big is command at 6", "b = ls -l x:/", "b is command at 4", "m = mount v, '/x'", "code",
                "m = mount 'v', '/x'", "code", "m = mount(v, '/x')", "code", "m = find name: 'x'", "code",
                "x = volume", "code", "x = volume.list()", "code", "x == volume list", "code",
                "x = 1; volumes | count", "code", "x = df + 1", "code", "volume = volume list", "code",
                "destory volume x", "unknown", "moutn train-a /mnt/a", "unknown", "lss", "unknown",
                "voulme list --wide", "unknown",
                "foo -l", "unknown", "foo /x", "unknown", "foo 'x'", "unknown", "check-all x", "unknown")
                .collect(java.util.stream.Collectors.collectingAndThen(java.util.stream.Collectors.toList(), all ->
                        java.util.stream.IntStream.range(0, all.size() / 2).mapToObj(i ->
                                DynamicTest.dynamicTest("'" + all.get(2 * i) + "'",
                                        () -> assertThat(kind(all.get(2 * i))).isEqualTo(all.get(2 * i + 1))))));
    }

    private static String kind(String line) {
        return switch (RULE.classify(line)) {
            case LineKind.Nothing() -> "nothing";
            case LineKind.Command(String _) -> "command";
            case LineKind.Code(String _) -> "code";
            case LineKind.SystemLine(String _) -> "system";
            case LineKind.Unknown(String _) -> "unknown";
            case LineKind.Piped(String text, int code) -> "piped " + text.substring(0, code).strip();
            case LineKind.Assigned(String name, LineKind value, int from) -> name + " is "
                    + (value instanceof LineKind.Piped ? "piped" : "command") + " at " + from;
        };
    }

    @Test
    void anAssignmentNeverChangesWhatACommandIs() {
        var before = RULE.classify("mount train-a /mnt/a");
        var after = new LineRule(COMMANDS::contains, name -> true).classify("mount train-a /mnt/a");
        assertThat(after).isEqualTo(before);
    }

    @Test
    void unfinishedEntriesSayWhatIsOpen() {
        assertThat(Unfinished.sign("volume list", RULE)).isEmpty();
        assertThat(Unfinished.sign("volume list \\", RULE)).contains("\\");
        assertThat(Unfinished.sign("ls 'a b", RULE)).contains("'");
        assertThat(Unfinished.sign("volume list | where { it.a", RULE)).contains("{");
        assertThat(Unfinished.sign("def f(x) {", RULE)).contains("{");
        assertThat(Unfinished.sign("volumes.findAll {\n it.x", RULE)).contains("{");
        assertThat(Unfinished.sign("foo(1,", RULE)).contains("(");
        assertThat(Unfinished.sign("x = [1, 2,", RULE)).contains("[");
        assertThat(Unfinished.sign("x = '''abc", RULE)).contains("'");
        assertThat(Unfinished.sign("x = \"abc", RULE)).contains("\"");
        assertThat(Unfinished.sign("/* open", RULE)).contains("/*");
        assertThat(Unfinished.sign("x = 1 +", RULE)).contains("..");
        for (String whole : new String[] {"x = '}'", "x = \"{\"", "x = /[{]/", "foo(1) // {", "x++", "if (a) { b }",
                "x = 6 / 2", "x = '''a\nb'''"}) {
            assertThat(Unfinished.sign(whole, RULE)).as(whole).isEmpty();
        }
    }
}
