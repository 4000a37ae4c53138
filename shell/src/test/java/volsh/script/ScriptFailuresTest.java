package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a script says when something goes wrong in it: nothing fails in silence, and the line is named. */
@Timeout(120)
final class ScriptFailuresTest {
    @TempDir
    Path directory;

    private Workshop workshop;

    @BeforeEach
    void open() {
        workshop = new Workshop(directory);
    }

    @Test
    void aDeferredBlockThatFailsAfterAnotherFailureIsAWarning() throws IOException {
        var ended = workshop.script("""
                defer { throw new IllegalStateException('first') }
                defer { volume.destroy 'absent', yes: true }
                scratch { dir ->
                    defer { throw new IllegalStateException('inner') }
                    volume.get 'nope'
                }
                """);
        assertThat(ended.status()).isEqualTo(3);
        assertThat(ended.err())
                .contains("error: ", "'nope'", "warning: a deferred block failed: inner\n  script.groovy:4: defer {",
                        "warning: a deferred block failed: first\n  script.groovy:1: defer {", "absent");
        assertThat(workshop.script("defer { throw new IllegalStateException('x') }\nexit 7").status()).isEqualTo(7);
    }

    @Test
    void aDeferredBlockThatFailsAloneFailsTheScript() throws IOException {
        var ended = workshop.script("defer { throw new IllegalStateException('second') }\ndefer { throw new "
                + "IllegalStateException('lost') }");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err()).contains("error: lost", "warning: a deferred block failed: second");
        var exit = workshop.script("defer { throw new IllegalStateException('lost') }\nexit 0");
        assertThat(exit.status()).isEqualTo(1);
        assertThat(exit.err()).contains("error: lost");
        Path lines = workshop.file("x.volsh", "defer { throw new IllegalStateException('lost') }\nvolume show nope\n");
        var ofLines = workshop.run("run", lines.toString());
        assertThat(ofLines.status()).isEqualTo(3);
        assertThat(ofLines.err()).contains("warning: a deferred block failed: lost\n  x.volsh:1: defer");
    }

    @Test
    void collectedFailuresThatNobodyReadsFailTheScript() throws IOException {
        String each = "def b = each(1..6, onError: 'collect') { if (it % 2) fail \"odd $it\"; it }\n";
        var unread = workshop.script(each + "println b");
        assertThat(unread.out()).isEqualTo("[2, 4, 6]\n");
        assertThat(unread.status()).isEqualTo(10);
        assertThat(unread.err()).contains("error: 3 of 6 items failed, and the script did not read the failures "
                + "[SCR-0010]", "  1: odd 1", "  5: odd 5", "  script.groovy:1: def b = each(", "read .failures");
        assertThat(workshop.script(each + "println b.failures.size()").status()).isZero();
        assertThat(workshop.script(each + "defer { println b.failures.size() }").status()).isZero();
        var both = workshop.script(each + "volume.get 'nope'");
        assertThat(both.status()).isEqualTo(3);
        assertThat(both.err()).contains("warning: 3 of 6 items failed");
    }

    @Test
    void aRetrySaysWhyItDidNotRetry() throws IOException {
        assertThat(workshop.script("retry(times: 3) { sh('false') }").err())
                .contains("not retried: this failure ('failed') would repeat; retry(on: Exception) retries all");
        assertThat(workshop.script("retry(times: 3, on: NotFound) { sh('false') }").err())
                .contains("not retried: retry(on: NotFound) does not cover this failure ('failed')");
        var tried = workshop.script("retry(times: 3, on: Exception, backoff: '1ms') { println 'try'; "
                + "Files.readString(Path.of('/nonexistent')) }");
        assertThat(tried.out()).isEqualTo("try\ntry\ntry\n");
        assertThat(tried.err()).contains("tried 3 times", "/nonexistent").doesNotContain("not retried");
        assertThat(workshop.script("try { retry { sh('false') } } catch (Exception e) { println 'caught' }").err())
                .isEmpty();
    }

    @Test
    void theLineInWhichADeadlineStruckIsNamed() throws IOException {
        var inside = workshop.script("""
                def waits() {
                    sleep 1.h
                }
                deadline(50.ms) {
                    waits()
                }
                """);
        assertThat(inside.status()).isEqualTo(124);
        assertThat(inside.err()).contains("error: timed out after 50ms",
                "  script.groovy:2: sleep 1.h\n  from script.groovy:5: waits()\n"
                        + "  from script.groovy:4: deadline(50.ms) {\n").doesNotContain("cause:");
        var parallel = workshop.script("""
                deadline(50.ms) {
                    each([1, 2], parallel: 2) {
                        sleep 1.h
                    }
                }
                """);
        assertThat(parallel.err()).contains("  script.groovy:3: sleep 1.h\n  from script.groovy:2: each([1, 2], "
                + "parallel: 2) {\n  from script.groovy:1: deadline(50.ms) {\n").doesNotContain("cause:");
        var command = workshop.script("""
                store.add 'far', 'file://%s?latency=1h'
                deadline(1.s) {
                    store.probe 'far'
                }
                """.formatted(directory.resolve("far")));
        assertThat(command.err()).contains("error: timed out after 1s", "  script.groovy:3: store.probe 'far'\n")
                .doesNotContain("cause:");
        Path whole = workshop.file("whole.groovy", "println 1\nsh('exec sleep 1000')\n");
        var outside = workshop.run("run", "--deadline", "3s", whole.toString());
        assertThat(outside.status()).isEqualTo(124);
        assertThat(outside.err()).contains("the script timed out after 3s", "  whole.groovy:2: sh('exec sleep 1000')");
        Path lines = workshop.file("lines.volsh", "volume list\nsh('exec sleep 1000')\n");
        var ofLines = workshop.run("run", "--deadline", "3s", lines.toString());
        assertThat(ofLines.status()).as(ofLines.err()).isEqualTo(124);
        assertThat(ofLines.err()).contains("the script timed out after 3s", "lines.volsh:2")
                .doesNotContain("error: cancelled");
    }

    @Test
    void theCallersOfAFailedLineAreNamed() throws IOException {
        var ended = workshop.script("""
                def f(name) {
                    volume.get name
                }
                def g() { f('nope') }

                g()
                """);
        assertThat(ended.err()).contains("  script.groovy:2: volume.get name\n  from script.groovy:4: def g() "
                + "{ f('nope') }\n" + "  from script.groovy:6: g()\n");
        assertThat(workshop.script("volume.get 'nope'").err()).doesNotContain("from ");
        assertThat(workshop.script("def f(n) { n == 0 ? volume.get('nope') : f(n - 1) }\nf(50)").err())
                .containsOnlyOnce("script.groovy:1").containsOnlyOnce("from script.groovy:2: f(50)");
    }

    @Test
    void anExpectationShowsTheValuesOfItsParts() throws IOException {
        var plain = workshop.script("def used = 20.MiB\nexpect(used < 10.MiB)");
        assertThat(plain.status()).isEqualTo(11);
        assertThat(plain.err()).contains("  used < 10.MiB\n", "20MiB", "10MiB",
                "script.groovy:2: expect(used < 10.MiB)");
        var told = workshop.script("""
                def sizes = [a: 7]
                [1].each { n ->
                    if (n) expect(sizes.a == n + 1) { "wrong: $it" }
                }
                """);
        assertThat(told.status()).isEqualTo(11);
        assertThat(told.err()).contains("error: wrong: false", "  sizes.a == n + 1\n", "7", "script.groovy:3: ");
        var held = workshop.script(
                "expect(1 < 2); expect([1]) { 'never' }; expect 'x'.size() == 1; println expect(true)");
        assertThat(held.status()).as(held.err()).isZero();
        assertThat(workshop.script("def x = 5\nexpect(null) { \"given $it $x\" }").err())
                .contains("error: given null 5");
        assertThat(workshop.run("-n", "-e", "expect(1 > 2); 5").out()).contains("5");
        Path lines = workshop.file("x.volsh", "def used = 20.MiB\nexpect(used < 10.MiB)\n");
        assertThat(workshop.run("run", lines.toString()).err()).contains("  used < 10.MiB\n", "20MiB");
    }

    @Test
    void anAttemptPrintsItself() throws IOException {
        var ended = workshop.script("""
                println attempt { 3 }
                println attempt { null }
                println attempt { fail 'no luck', code: 7 }
                println attempt { sh 'exit 7' }.exit
                println attempt { Files.readString(Path.of('/nonexistent')) }
                println attempt { assert 1 == 2 }.exit
                println attempt { nosuch }
                println attempt { retry { volume.get 'nope' } }.failure.code
                """);
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out().lines()).containsExactly("ok 3", "ok", "failed: no luck (exit 7)", "7",
                "failed: /nonexistent: no such file or directory (exit 3)", "11",
                "failed: unknown name 'nosuch' (exit 2)", "VOL-0003");
    }

    @Test
    void aSystemCommandMayFail() throws IOException {
        var ended = workshop.script("""
                def found = sh('echo out; exit 7', check: false)
                println "$found.exit $found.value $found.ok"
                println sh('echo fine', check: false).value
                println sh('echo checked', check: true)
                sh 'exit 42'
                """);
        assertThat(ended.out().lines()).containsExactly("7 out false", "fine", "checked");
        assertThat(ended.status()).as("as it is").isEqualTo(42);
        assertThat(workshop.script("sh('true', chek: false)").err()).contains("sh takes check: true or check: false");
    }

    @Test
    void settingsAreNamedArguments() throws IOException {
        var ended = workshop.script("""
                volume.create 'x'
                volume.set 'x', retention: 30.d, label: [tier: 'gold'], compression: 'zstd:3', inline: 1.KiB
                def v = volume.get 'x'
                println "$v.labels.tier $v.compression"
                println volume.set('x', 'inline=0', retention: '7d').retention
                volume.set 'x', retention: 30d
                """);
        assertThat(ended.out().lines()).containsExactly("gold zstd:3", "7d");
        assertThat(ended.err()).contains("retention: 30 needs a unit", "30.d or '30d'");
        assertThat(workshop.script("volume.set 'x', nosuch: 1").err()).contains("unknown setting 'nosuch'");
    }

    @Test
    void whatIsNotIncludedNamesItsEquivalent() throws IOException {
        assertThat(workshop.script("import com.fasterxml.jackson.databind.ObjectMapper\nprintln 1").err())
                .contains("unable to resolve class com.fasterxml.jackson.databind.ObjectMapper", "script.groovy:1",
                        "hint: parseJson(text or file) and toJson(value)");
        assertThat(workshop.script("println new JsonSlurper()").err()).contains("hint: parseJson(");
        assertThat(workshop.script("import groovy.time.TimeCategory\nuse(TimeCategory) { println 1 }").out())
                .as("is there").isEqualTo("1\n");
        assertThat(workshop.script("use(TimeCategory) { }").err())
                .contains("unknown name 'TimeCategory'", "hint: times are numbers");
        assertThat(workshop.script("println new DateTime()").err()).contains("hint: now is the time");
        assertThat(workshop.script("println new Date().format('yyyy')").err()).contains("hint: now is the time");
        assertThat(workshop.script("import com.acme.Nonsense").err()).contains("com.acme.Nonsense")
                .doesNotContain("hint:");
        var said = workshop.script("println now - 2.h < now; println java.time.ZonedDateTime.now().year > 2000; "
                + "println((5.min + 2.h + 30.d) > 1.d)");
        assertThat(said.out()).as(said.err()).isEqualTo("true\ntrue\ntrue\n");
    }

    /** Also under names that volsh imports itself, and beside a class of that name. */
    @Test
    void whatScriptsUsuallyImportIsThere() throws IOException {
        var ended = workshop.script("""
                import groovy.json.JsonOutput
                import groovy.json.JsonSlurper
                import groovy.time.TimeCategory
                import groovy.transform.Field
                import java.nio.file.*
                import java.text.SimpleDateFormat
                import java.time.Duration
                import java.time.LocalDateTime
                import static java.lang.Math.max
                @Field int x = 3
                class NotFound { }
                println new JsonSlurper().parseText('{"a": 1}').a + x
                println JsonOutput.toJson([b: [1, null]])
                println Duration.ofSeconds(90).toMinutes()
                use(TimeCategory) { println 3.hours }
                println LocalDateTime.now().year > 2000 && new SimpleDateFormat('yyyy').format(new Date()) > '2000'
                println max(2, Paths.get('a').nameCount)
                println new NotFound() != null
                """);
        assertThat(ended.out()).as(ended.err()).isEqualTo("4\n{\"b\":[1,null]}\n1\n3 hours\ntrue\n2\ntrue\n");
        assertThat(workshop.run("run", "--check", workshop.directory().resolve("script.groovy").toString()).err())
                .doesNotContain("error");
    }

    @Test
    void jsonIsReadAndWritten() throws IOException {
        Path file = workshop.file("data.json",
                "{\"runs\": [{\"step\": 7, \"loss\": 0.5, \"tags\": [\"a\", null, true]}]}");
        var ended = workshop.script("""
                def data = parseJson(Path.of('%s'))
                println data.runs[0].step + 1
                println toJson(data)
                println parseJson('[1, "x"]')[1] + parseJson('5')
                println toJson(size: 1.KiB, time: 2.s, text: "a${1}\\n", none: null, list: [1, 2])
                volume.create 'v'
                println parseJson(toJson(volumes))[0].name
                println attempt { parseJson('{"a": ') }.ok
                println attempt { parseJson('1 2') }
                """.formatted(file));
        assertThat(ended.err()).doesNotContain("error");
        assertThat(ended.out().lines()).containsExactly("8", "{\"runs\":[{\"step\":7,\"loss\":0.5,\"tags\":[\"a\","
                + "null,true]}]}", "x5", "{\"size\":1024,\"time\":2,\"text\":\"a1\\n\",\"none\":null,\"list\":[1,2]}",
                "v", "false", "failed: more than one JSON value (exit 1)");
    }

    @Test
    void getIsACommandWhereThereIsOne() throws IOException {
        var ended = workshop.script("""
                store.add 's1', 'file://%1$s/s1'
                store.add 's2', 'file://%1$s/s2'
                volume.create 'v', store: 's1,s2', layout: 'stripe:2'
                println volume.get('v').name
                println stripe.get('v:/') != null
                """.formatted(directory));
        assertThat(ended.out()).as(ended.err()).isEqualTo("v\ntrue\n");
    }
}
