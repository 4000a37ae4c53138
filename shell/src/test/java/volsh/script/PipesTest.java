package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pipes with code: blocks, values of code, variables; and what is said about mistakes in them. */
@Timeout(120)
final class PipesTest {
    private static Workshop workshop;

    @BeforeAll
    static void volumes(@TempDir Path directory) throws IOException {
        workshop = new Workshop(directory);
        Files.write(directory.resolve("f"), new byte[300_000]);
        var made = workshop.run("run", workshop.file("make.volsh", """
                volume create alpha --block-size 1MiB --compression none --label tier=gold -q
                volume create beta --block-size 4MiB --label tier=silver -q
                volume create gamma --block-size 1MiB --quota 10GiB -q
                put %s alpha:/f -q
                """.formatted(directory.resolve("f"))).toString());
        assertThat(made.status()).as(made.err()).isZero();
    }

    /** Each line is followed by what it prints. */
    private void answers(String... linesAndAnswers) throws IOException {
        List<Integer> pairs = IntStream.range(0, linesAndAnswers.length / 2).boxed().toList();
        var lines = new StringBuilder();
        var expected = new StringBuilder();
        for (int pair : pairs) {
            lines.append(linesAndAnswers[2 * pair]).append("\nprintln '---'\n");
            expected.append(linesAndAnswers[2 * pair]).append(" => ").append(linesAndAnswers[2 * pair + 1])
                    .append('\n');
        }
        var ended = workshop.run("run", workshop.file("lines.volsh", lines.toString()).toString());
        var answers = ended.out().split("(?m)^---$\\n?");
        var said = new StringBuilder();
        for (int pair : pairs) {
            String answer = pair < answers.length ? answers[pair].strip().replaceAll("\\s*\\n\\s*", "; ")
                    .replaceAll(" +", " ") : "nothing";
            said.append(linesAndAnswers[2 * pair]).append(" => ").append(answer).append('\n');
        }
        assertThat(said.toString()).as(ended.err()).isEqualTo(expected.toString());
        assertThat(ended.status()).as(ended.err()).isZero();
    }

    @Test
    void columnsAreNamesInBlocks() throws IOException {
        answers("volume list | where { blockSize > 1.MiB } | get name", "beta",
                "volume list | where { it.blockSize > 1.MiB } | get name", "beta",
                "volume list | where { row -> row.blockSize > 1.MiB } | get name", "beta",
                "volume list|where{ blockSize < 4.MiB }|sort -name|get name", "gamma; alpha",
                "volume list | where { store == 'default' } | count", "3",
                "volume list | where { compression == 'none' && name.startsWith('al') } | count", "1",
                "limit = 2.MiB", "",
                "volume list | where { blockSize > limit } | get name", "beta",
                "volume list | where { quota } | get name", "gamma",
                "volume list | each { \"${name}:${blockSize}\" } | first", "alpha:1MiB",
                "volume list | add half { blockSize / 2 } | where half >= 2MiB | get name", "beta",
                "ls -l alpha:/ | where { owner == 'root' && size > 200.kB } | get name", "f",
                "volume list | sort { -it.blockSize } | first | get name", "beta",
                "volume list | where { [1, 2].any { it == 1 } && blockSize == 4.MiB } | get name", "beta");
    }

    /** Trouble is there to be filtered: the rows come, and the exit code says that there is some. */
    @Test
    void rowsOfACommandThatFoundTroubleAreFiltered(@TempDir Path directory) throws IOException {
        var other = new Workshop(directory);
        Path store = directory.resolve("store");
        assertThat(other.run("store", "add", "away", "file://" + store, "-q").status()).isZero();
        assertThat(other.run("volume", "create", "v", "--store", "away", "-q").status()).isZero();
        Files.move(store, directory.resolve("elsewhere"));
        var ended = other.run("-c", "status | where kind = store and name = away | get name");
        assertThat(ended.status()).as(ended.err()).isEqualTo(6);
        assertThat(ended.out()).isEqualTo("away\n");
        assertThat(other.run("-c", "x = status | count").status()).as("a value of a script fails").isEqualTo(6);
    }

    @Test
    void quantitiesCompareWithNumbersAndText() throws IOException {
        answers("volume list | where { it.used > 1 } | get name", "alpha",
                "volume list | where { used > '100KiB' } | get name", "alpha",
                "volume list | where { '100KiB' < used } | get name", "alpha",
                "volume list | where { used == 300000 } | get name", "alpha",
                "volume list | where { used == 'lots' } | count", "0",
                "volume list | where { used != 0 } | count", "1",
                "volume list | where { created > '-2d' && created < 'now' } | count", "3",
                "volume list | where { created > now - 2.d } | count", "3",
                "volume list | where used > 0.1MiB and created > -2d | get name", "alpha",
                "println volumes.findAll { it.used > 100_000 }*.name", "[alpha]",
                "println([2.GiB > 1, 5.s >= 5, 5.s < '1m', 10.MB / 1.s > '9MB/s', 4.MiB <=> '5MiB', 1 < 2])",
                "[true, true, true, true, -1, true]",
                "println([1.KiB == 1024, 1024 == 1.KiB, 1.KiB == null, null == 1.KiB, [1.KiB] == [1.KiB]])",
                "[true, true, false, false, true]");
    }

    @Test
    void valuesEnterPipesAndLeaveThem() throws IOException {
        answers("volumes | where { used > 1 } | select name,used", "NAME USED; alpha 293KiB",
                "volumes | where used > 1 | get name", "alpha",
                "mounts | count", "0",
                "volume | count", "3",
                "[[name: 'a', used: 3.GiB], [name: 'b', used: 5.GiB]] | sort -used | get name", "b; a",
                "[[a: 1], [a: 2, b: 'x']] | where b = x | get a", "2",
                "[[a: 1], [a: 2, b: 'x']] | to csv", "a,b; 1,; 2,x",
                "(1..4) | each { it * it } | sum", "30",
                "[3, 1, 2] | sort | first", "1",
                "[3, 1, 2] | max", "3",
                "'one two\\nthree' | grep ^t", "three",
                "big = volume list | where blockSize >= 1MiB", "",
                "println big.size()", "3",
                "big.sort { it.blockSize }", "",
                "big | sort -blockSize | first 1 | get name", "beta",
                "$big | count", "3",
                "def n = volume list | count", "",
                "println n + 1", "4",
                "rows = volume list", "",
                "println rows*.name", "[alpha, beta, gamma]",
                "same = :volume list | count", "",
                "println same", "3",
                "both = volumes | where used > 1 | select name", "",
                "println both", "[[name:alpha]]",
                "println(5 | 2)", "7");
    }

    @Test
    void habitsOfOtherShellsWork() throws IOException {
        Path csv = workshop.file("rows.csv", "name,size,code\na,3,007\nb,10,x\nc,,\n");
        answers("ls alpha:/ | where size > 100kb | get name", "f",
                "ls alpha:/ | where $it.size > 100kb | get name", "f",
                "ls alpha:/ | where type == file | select name size", "NAME SIZE; f 293KiB",
                "ls alpha:/", "f",
                "volume list | where name in [alpha gamma] | get name", "alpha; gamma",
                "volume list | sort name -r | get name", "gamma; beta; alpha",
                "volume list | sort name desc | get name", "gamma; beta; alpha",
                "volume list | sort blockSize,-name | get name", "gamma; alpha; beta",
                "volume list | get 1.name", "beta",
                "volume list | skip 1 | get name", "beta; gamma",
                "volume list | reverse | first | get name", "gamma",
                "volume list | max blockSize", "4MiB",
                "volume list | min name", "alpha",
                "volume list | avg blockSize", "2MiB",
                "volume list | rename blockSize=block,name=volume | select volume,block | last 1",
                "VOLUME BLOCK; gamma 1MiB",
                "volume list | select name,store,blockSize | reject store | columns", "name; blockSize",
                "volume list | group compression,blockSize | sort count | get count", "1; 1; 1",
                "volume list | grep -i ALPHA | count", "1",
                "volume list | grep -v alpha | count", "2",
                "!cat " + csv + " | from csv | where size > 5 | get name", "b",
                "!cat " + csv + " | from csv | sum size", "13",
                "!cat " + csv + " | from csv | sort -size | get name", "b; a; c",
                "!cat " + csv + " | from csv | get code", "007; x; -",
                "!printf 'a\\nb\\n' | sort -r | from lines | first", "b");
    }

    /** What is said about a mistake: nothing that was not typed, and nothing of how volsh is made. */
    @Test
    void mistakesAreExplained() throws IOException {
        mistake("volume list | where { usd > 1 }", 2, "no column 'usd' here (did you mean used?)",
                "line:1: { usd > 1 }");
        mistake("volume list | where { it.usd > 1 }", 2, "did you mean used?", "line:1: { it.usd > 1 }");
        mistake("volume list | where { used > 5.s }", 2, "cannot compare the size 293KiB with the duration 5s");
        mistake("volume list | where { used > 'lots' }", 2, "not a size: 'lots' (try 4MiB)");
        mistake("volume list | where { created > 5 }", 2, "cannot compare the time ", " with the number 5");
        mistake("volume list | where { name > 5 }", 1, "cannot compare the text 'alpha' with the number 5");
        mistake("volume list | where { used > }", 2, "line:1: { used > }\n                   ^");
        mistake("volums | where used > 1", 2, "unknown name 'volums'", "did you mean: volumes", "line:1: volums");
        mistake("volume list | select nme", 2, "did you mean name?");
        mistake("volume list | sort usd", 2, "did you mean used?");
        mistake("volume list | group stor", 2, "did you mean store");
        mistake("volume list | sum usd", 2, "did you mean used?");
        mistake("volume list | reject nme", 2, "did you mean name?");
        mistake("volume list --columns nme", 2, "did you mean name?");
        mistake("volume list --sort -usd", 2, "did you mean used?");
        mistake("volume list --where 'usd > 1'", 2, "did you mean used?");
        mistake("[[a: 1]] | sort aa", 2, "no column 'aa' here");
        mistake("volume list | sort-by name", 127, "unknown pipe command 'sort-by'", "hint: in volsh: | sort COLUMN");
        mistake("volume list | count name", 2, "count takes no words");
        mistake("volume list | first { used }", 2, "first takes no block");
        mistake("volume list | first -3", 2, "first needs a number of rows, not '-3'");
        mistake("volume list | sum", 2, "sum needs a column, such as: sum used");
        mistake("volume list | where { sh('exit 3') }", 3, "exited with 3");
        mistake("volume list | each { |it| it.name }", 2, "hint: a block names its row with an arrow: { row ->");
        mistake("let x = volume list", 127, "hint: x = volume list");
        mistake("open rows.csv | where n > 1", 127, "hint: !cat rows.csv | from csv");
        mistake("volume list | where used > 1 > file", 2, "to write the rows to a file: | tee FILE");
        mistake("x = volume lst", 127, "volume list");
        mistake("x = volume list | slect name", 127, "did you mean: select");
    }

    private void mistake(String line, int status, String... said) throws IOException {
        var ended = workshop.run("run", workshop.file("mistake.volsh", line + "\n").toString());
        assertThat(ended.err()).as(line).contains(said).doesNotContain("volsh.").doesNotContain("return {")
                .doesNotContain("java.").doesNotContain("${").doesNotContain("entry1");
        assertThat(ended.status()).as(line + "\n" + ended.err()).isEqualTo(status);
    }
}
