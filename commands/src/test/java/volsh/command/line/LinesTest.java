package volsh.command.line;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

/** Command lines with pipes and connectors, in files and by -c; none of them needs the language of code. */
final class LinesTest {
    @TempDir
    Path directory;

    private Scratch program;

    @BeforeEach
    void volumes() {
        program = new Scratch(directory.resolve("home"));
        program.run("volume create beta --block-size 1MiB -q");
        program.run("volume create alpha --block-size 4MiB -q");
        program.run("volume create gamma --block-size 1MiB -q");
    }

    private Scratch.Ended line(String line) {
        return program.run("run -c \"" + line + "\"");
    }

    private String out(String line) {
        var ended = line(line);
        assertThat(ended.status()).as(ended.err()).isZero();
        return ended.out();
    }

    @Test
    void pipesCarryTypedRows() {
        assertThat(out("volume list | sort -blockSize,name | select name,blockSize | to csv"))
                .isEqualTo("name,blockSizeBytes\nalpha,4194304\nbeta,1048576\ngamma,1048576\n");
        assertThat(out("volume list | sort -name | first 2 | select name | to tsv")).isEqualTo("name\ngamma\nbeta\n");
        assertThat(out("volume list | sort name | last | select name | to value:name")).isEqualTo("gamma\n");
        assertThat(out("volume list | count")).isEqualTo("3\n");
        assertThat(out("volsh volume list | count; volsh")).as("pasted from a manual").isEqualTo("3\n");
        assertThat(out("volume list | sum blockSize")).isEqualTo("6MiB\n");
        assertThat(out("volume list | group blockSize | sort count | select count | to csv"))
                .isEqualTo("count\n1\n2\n");
        assertThat(out("volume list | uniq blockSize | count")).isEqualTo("2\n");
        assertThat(out("volume list | grep '^(al|ga)' | select name | to csv")).isEqualTo("name\nalpha\ngamma\n");
    }

    @Test
    void aColumnTheListLacksIsLookedUp() {
        assertThat(out("volume list | sort -used | select name,used,inodes | first | to csv"))
                .isEqualTo("name,usedBytes,inodes\nalpha,0,0\n");
        var wrong = line("volume list | select name,usd");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err()).contains("no column 'usd'");
    }

    @Test
    void textGoesToAndFromTheSystem() throws IOException {
        assertThat(out("volume list | select name | to csv | !sort -r | head -1")).isEqualTo("name\n");
        Path file = Files.writeString(directory.resolve("rows.json"),
                "[{\"a\": 1, \"b\": \"x\"}, {\"a\": 5, \"b\": \"y\"}]");
        Path source = Files.writeString(directory.resolve("f.volsh"), """
                put %1$s alpha:/rows.json -q
                cat alpha:/rows.json | from json | sort -a | select b | to csv
                cat alpha:/rows.json | from json | sum a
                cat alpha:/rows.json | from json | tee %2$s | count
                cat alpha:/rows.json | !wc -c
                volume list | select name | to csv > %3$s
                volume list | count >> %3$s
                """.formatted(file, directory.resolve("tee.csv"), directory.resolve("out.csv")));
        var ended = program.run("run " + source);
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).isEqualTo("b\ny\nx\n6\n2\n40\n");
        assertThat(directory.resolve("tee.csv")).hasContent("a,b\n1,x\n5,y");
        assertThat(directory.resolve("out.csv")).hasContent("name\nalpha\nbeta\ngamma\n3");
    }

    @Test
    void connectorsAndFailures() {
        assertThat(line("volume show nope; df").status()).isEqualTo(3);
        assertThat(line("volume show nope; df").out()).isEmpty();
        assertThat(line("volume show nope || true").status()).isZero();
        assertThat(line("volume show nope || volume list | count").out()).isEqualTo("3\n");
        assertThat(line("true && volume list | count").out()).isEqualTo("3\n");
        assertThat(line("false && volume list | count").status()).isEqualTo(1);
        assertThat(line("exit 9").status()).isEqualTo(9);
        assertThat(line("volume list | nonsense").status()).isEqualTo(127);
        assertThat(line("volume list & volume show nope").status()).isEqualTo(3);
        assertThat(line("!exit 3").status()).isEqualTo(1);
        assertThat(line("destory volume x").err())
                .contains("unknown command 'destory'", "did you mean: volsh volume destroy x");
    }

    @Test
    void jobsOfAScriptAreWaitedForAndFailIt() throws IOException {
        String late = "!until [ -e " + directory.resolve("gate") + " ]; do sleep 0.05; done; echo late";
        var both = line(late + " &\nvolume list | count\n!touch " + directory.resolve("gate"));
        assertThat(both.status()).as(both.err()).isZero();
        assertThat(both.out()).isEqualTo("3\nlate\n");
        assertThat(both.err()).contains("[1] " + late, "[1] done  " + late);
        var failed = line("volume show nope & true");
        assertThat(failed.status()).isEqualTo(3);
        assertThat(failed.err()).contains("no such volume: 'nope'", "[1] failed exit 3  volume show nope");
        assertThat(line("volume show nope & wait || true").status()).isZero();
        assertThat(program.run("run -i -c df").status()).as("nobody types here").isEqualTo(2);
        assertThat(line("wait 7").status()).isEqualTo(3);
        assertThat(line("kill x").status()).isEqualTo(3);
        assertThat(line("false && true & wait 1").status()).as("a list goes to the background as a whole").isEqualTo(1);
        assertThat(line("!sleep 30 &\nkill 1; wait").status()).isEqualTo(130);
        assertThat(line("!sleep 30 &\nvolume show nope").status()).as("a failure stops what runs").isEqualTo(3);
        assertThat(line("volume destroy alpha & true").err()).contains("--confirm alpha");
        assertThat(program.run("-n run -c 'volume create delta & true'").out()).contains("would create volume");
        Path file = Files.writeString(directory.resolve("j.transcript"),
                "# volsh transcript\n#| x\nvolume list | count &\nwait\n#= exit 0\njobs | select state | to csv\n");
        assertThat(program.run("run " + file).out()).isEqualTo("3\nstate\ndone\n");
    }

    @Test
    void filesStopAtTheFirstFailureOrKeepGoing() throws IOException {
        Path file = Files.writeString(directory.resolve("f.volsh"), """
                #!/usr/bin/env -S volsh run
                # a comment, a command over two lines, a failure

                volume list --columns name \\
                    -o csv
                volume show nope
                volume list | count
                """);
        var stopped = program.run("run " + file);
        assertThat(stopped.status()).isEqualTo(3);
        assertThat(stopped.out()).isEqualTo("name\nalpha\nbeta\ngamma\n");
        assertThat(stopped.err()).contains("no such volume: 'nope'");
        var kept = program.run("run -k " + file);
        assertThat(kept.status()).isEqualTo(3);
        assertThat(kept.out()).endsWith("gamma\n3\n");
        Files.writeString(file, "set +e\n" + Files.readString(file));
        assertThat(program.run("run " + file).out()).endsWith("gamma\n3\n");
    }

    @Test
    void aDryRunOfLinesChangesNothing() {
        var before = program.files();
        var ended = program.run("-n --exit-code run -c 'volume create delta; put /etc/hostname delta:/x; "
                + "volume list | count > y; !touch x'");
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).contains("would create volume 'delta'", "would put /etc/hostname delta:/x",
                "would run touch x", "would write y");
        assertThat(ended.status()).isEqualTo(20);
        assertThat(program.files()).isEqualTo(before);
    }

    @Test
    void linesFromStandardInputAskNobody() {
        var ended = program.type("run -", "volume destroy alpha\n");
        assertThat(ended.status()).as(ended.err()).isNotZero();
        assertThat(program.run("volume list -o name").out()).contains("alpha");
        assertThat(program.run("run -").status()).isEqualTo(2);
    }
}
