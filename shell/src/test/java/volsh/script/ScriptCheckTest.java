package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code run --check}: finds mistakes and runs nothing. */
@Timeout(120)
final class ScriptCheckTest {
    @TempDir
    Path directory;

    private Workshop workshop;

    @BeforeEach
    void open() {
        workshop = new Workshop(directory);
    }

    private Workshop.Ended check(String name, String text) throws IOException {
        return workshop.run("run", "--check", workshop.file(name, text).toString());
    }

    private static List<String> problems(Workshop.Ended ended) {
        return ended.err().lines().filter(line -> line.startsWith("  ")).map(String::strip).toList();
    }

    @Test
    void everyMistakeIsListedWithItsLine() throws IOException {
        var ended = check("job.groovy", """
                cli { option 'name', required: true }
                def name = opts.name
                volume.destory name
                volume.create name, blokSize: 1.MiB
                volume.create 'x', blockSize: 4
                volume.create 'x', compression: name, retention: 30d
                volume.create 'x', blockSize: 'lots'
                volume.create()
                mount.ensure name
                mount name, '/mnt/x', redOnly: true
                println volums
                retrry(times: 3) { }
                bench.baseline.chek 'n'
                def size = 4.Mib
                if (false) { volume.get() }
                """);
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).contains("error: 12 problems in job.groovy [SCR-0012]");
        assertThat(problems(ended)).satisfiesExactly(
                one -> assertThat(one).isEqualTo("job.groovy:3: volume has no operation "
                        + "'destory' (did you mean: volume.destroy)"), one -> assertThat(one)
                .isEqualTo("job.groovy:4: volume create has no option 'blokSize' (did you mean: blockSize)"),
                one -> assertThat(one).startsWith("job.groovy:5: blockSize: 4 needs a unit"),
                one -> assertThat(one).startsWith("job.groovy:6: retention: 30 needs a unit"),
                one -> assertThat(one).startsWith("job.groovy:7: ").contains("lots"),
                one -> assertThat(one).startsWith("job.groovy:8: missing required"), one ->
                assertThat(one).startsWith("job.groovy:10: mount has no option 'redOnly' (did you mean: readOnly)"),
                one -> assertThat(one).isEqualTo("job.groovy:11: there is no 'volums' here (did you mean: volumes)"),
                one -> assertThat(one).isEqualTo("job.groovy:12: there is no 'retrry(...)' (did you mean: retry)"),
                one -> assertThat(one).startsWith(
                "job.groovy:13: bench baseline has no operation 'chek' (did you mean: bench.baseline.check)"),
                one -> assertThat(one).startsWith("job.groovy:14: there is no unit 'Mib'"),
                one -> assertThat(one).startsWith("job.groovy:15: missing required"));
        assertThat(Files.exists(workshop.home().resolve("state"))).as("nothing ran").isFalse();
    }

    /** What is right, or known only later, is no problem. */
    @Test
    void goodScriptsHaveNone() throws IOException {
        var ended = check("good.groovy", """
                import groovy.transform.Field
                @Field int count = 2
                class Pair { def a; def twice() { a * 2 } }
                def f(x) { helper(x) + count }
                def helper(x) { x }
                total = 5
                def block = { n -> n + total }
                println f(1) + block(2) + new Pair(a: 1).twice()
                cli { about 'x'; option 'data', type: String; flag 'quick' }
                def options = [blockSize: 4.MiB]
                def v = volume.ensure "ck-${opts.data}", *: options, label: [tier: 'gold']
                def names = ['a', 'b']
                volume.show names[0]
                mount.ensure v, '/mnt/x', readOnly: true, cache: [dir: '/x']
                volume.set 'x', retention: 30.d, label: [a: 'b']
                v.destroy yes: true
                volumes.findAll { it.used > 1.GiB }.each { println it.name }
                "x".with { println length() }
                bench.baseline.check 'nightly'
                bench.run 'meta', on: '/x', duration: 5.s
                def (a, b) = [1, 2]
                deadline(5.s) { retry(times: 2) { sh('true'); println a + b } }
                try { volume.get 'x' } catch (NotFound e) { log.warn e.message }
                for (x in 1..3) { println x }
                exit 3
                """);
        assertThat(problems(ended)).isEmpty();
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.err()).contains("no problems in good.groovy");
        Path examples = Path.of(System.getProperty("volsh.project", "")).toAbsolutePath().resolve("scripts/examples");
        examples = Files.exists(examples) ? examples
                : examples.getParent().getParent().getParent().resolve("scripts/examples");
        try (var files = Files.list(examples)) {
            for (Path file : files.filter(path -> path.toString().matches(".*\\.(groovy|volsh)")).sorted().toList()) {
                var checked = workshop.run("run", "--check", file.toString());
                assertThat(checked.status()).as(file + "\n" + checked.err()).isZero();
            }
        }
    }

    @Test
    void linesAreChecked() throws IOException {
        workshop.file("lib.groovy", "def tier = 'gold'\ndef twice(n) { 2 * n }\n");
        var ended = check("job.volsh", """
                # a comment
                source %1$s/lib.groovy
                volume create a --label tier=$tier
                volume crate b
                volume list | where { it.used > 1.GiB } | selekt name
                println twice(21) + x
                def y = 1
                println y; volume.destory 'q'
                moutn a /x
                volume create c --block-size lots && df
                !echo fine
                source %1$s/absent.volsh
                volume show
                """.formatted(directory));
        assertThat(ended.status()).isEqualTo(2);
        assertThat(problems(ended)).extracting(line -> line.replaceFirst("^(job.volsh:\\d+): .*", "$1"))
                .containsExactly("job.volsh:4", "job.volsh:5", "job.volsh:6", "job.volsh:8", "job.volsh:9",
                        "job.volsh:10", "job.volsh:12", "job.volsh:13");
        assertThat(problems(ended)).anyMatch(line -> line.contains("unknown pipe command 'selekt'"))
                .anyMatch(line -> line.contains("there is no 'x' here"))
                .anyMatch(line -> line.contains("absent.volsh"));
        assertThat(workshop.run("run", "--check", "-c", "volume list; df").status()).isZero();
        assertThat(workshop.run("run", "--check", "-c", "volume lst").status()).isEqualTo(2);
        assertThat(workshop.run("run", "--check", "-e", "volumes*.name").status()).isZero();
    }

    @Test
    void syntaxErrorsAreListed() throws IOException {
        var ended = check("bad.groovy", "println 1\nimport com.google.gson.Gson\n");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(problems(ended)).satisfiesExactly(line -> assertThat(line)
                .startsWith("bad.groovy:2: unable to resolve class com.google.gson.Gson (parseJson("));
        assertThat(problems(check("two.groovy", "def x = new Nonsense()\n\ndef y = new Rubbish()"))).satisfiesExactly(
                line -> assertThat(line).startsWith("two.groovy:1: unable to resolve class Nonsense"),
                line -> assertThat(line).startsWith("two.groovy:3: unable"));
        assertThat(problems(check("open.groovy", "def x = (\n"))).hasSize(1);
    }

    /** What {@code help dsl} shows can be called: every example of every command passes the check. */
    @Test
    void theMethodsThatHelpShowsCanBeCalled() throws IOException {
        var root = volsh.command.tree.Commands.tree(workshop.services()).spec();
        var examples = new java.util.ArrayList<String>();
        collect(root, examples);
        assertThat(examples.size()).isGreaterThan(100);
        var ended = check("examples.groovy", String.join("\n", examples));
        assertThat(problems(ended)).isEmpty();
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(workshop.run("help", "dsl", "volume", "create").out()).contains("volume.create(NAME, option: "
                + "value...)", "blockSize: Size", "label: [key: value]", "  volume.create 'imagenet'");
        assertThat(workshop.run("help", "dsl", "volume").out()).contains("volume.destroy");
        assertThat(workshop.run("help", "dsl", "volum").status()).isEqualTo(127);
    }

    private static void collect(picocli.CommandLine.Model.CommandSpec spec, List<String> examples) {
        for (var sub : volsh.command.man.Manual.visible(spec)) {
            examples.addAll(volsh.command.man.ScriptMethod.of(sub).examples());
            collect(sub, examples);
        }
    }
}
