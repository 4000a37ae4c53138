package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.Cancellation;
import volsh.hang.Eventually;

/** Whole scripts: typed commands, fail-fast, exit codes, dry runs, and how they end. */
@Timeout(120)
final class ScriptsTest {
    @TempDir
    Path directory;

    private Workshop workshop;

    @BeforeEach
    void open() {
        workshop = new Workshop(directory);
    }

    @Test
    void commandsAreMethodsWithTypedResults() throws IOException {
        var ended = workshop.script("""
                def made = volume.ensure 'alpha', blockSize: 1.MiB, label: [tier: 'gold', env: 'dev'], inline: '1KiB'
                println made.change
                println volume.ensure('alpha').change
                def v = volume.get 'alpha'
                println "${v.name} ${v.blockSize.bytes} ${v.labels.tier} ${v.used}"
                def file = Files.createTempFile('a', 'b')
                file.bytes = random(3.MiB, seed: 1)
                put file, "alpha:/data.bin"
                println volumes.find { it.name == 'alpha' }.used         // not in the list: looked up
                println find('alpha:/', name: '*.bin')*.size
                println ls('alpha:/', l: true)[0].name
                v.set 'compression=zstd:3'
                println volume.get('alpha').compression
                println volumes.findAll { it.used > 1.GiB }.empty
                println volumes.findAll { it.mounts.size() > 4 }.size()
                volumes.each { it.destroy confirm: it.name }
                println volumes.size()
                Files.delete(file)
                """);
        assertThat(ended.err()).doesNotContain("error");
        assertThat(ended.out().lines().toList()).containsExactly("created", "unchanged", "alpha 1048576 gold 0B",
                "3MiB", "[3MiB]", "data.bin", "zstd:3", "true", "0", "0");
        assertThat(ended.status()).isZero();
    }

    /**
     * Nouns within nouns, commands with commands below them, lists that can be sorted, things that are found by more
     * than a name.
     */
    @Test
    void everyCommandCanBeCalledAndItsAnswerUsed() throws IOException {
        Path data = Files.createDirectories(directory.resolve("data"));
        Files.writeString(data.resolve("weights"), "x".repeat(5000));
        var ended = workshop.script("""
                volume.create 'b'; volume.create 'a'
                println volumes.sort { it.name }*.name
                println volumes.sort { a, b -> b.name <=> a.name }*.name
                def saved = checkpoint.save 'a', run: 'r1', step: 1, from: '%1$s'
                checkpoint.save 'b', run: 'r2', step: 5, from: '%1$s'
                println saved.verify().size()
                saved.pin()
                println checkpoints('a').collect { "$it.run/$it.step $it.pinned" }
                println checkpoints*.step.sort()
                println checkpoints('b', run: 'nosuch').size()
                checkpoints('b')[0].destroy yes: true
                println checkpoints.size()
                println bench.run('meta', on: '%1$s', size: 4.KiB)*.threads.unique()
                bench.baseline.save 'nightly'
                println bench.baseline.check('nightly', tolerance: '100%%').size() > 0
                println matrix(a: [1, 2], b: ['x', 'y'])
                println jobs.size()
                println attempt { bench.baseline.chek 'x' }.failure.message
                println attempt { bench.nosuch }.ok
                """.formatted(data));
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out().lines().toList()).containsExactly("[a, b]", "[b, a]", "1", "[r1/1 true]",
                "[1, 5]", "0", "1", "[1]", "true", "[[a:1, b:x], [a:1, b:y], [a:2, b:x], [a:2, b:y]]", "0",
                "bench baseline has no operation 'chek'", "false");
    }

    /** What is counted as saved is there, also when several may wait. */
    @Test
    void aCheckpointerCountsWhatItSaved() throws IOException {
        Path data = Files.createDirectories(directory.resolve("data"));
        Files.writeString(data.resolve("weights"), "x".repeat(5000));
        var ended = workshop.script("""
                volume.create 'a'
                def saver = checkpointer('a', run: 'r1', waiting: 3)
                def taken = (1..6).findAll { saver.save(it, '%s') }
                def end = saver.await()
                saver.close()
                println end.saved == taken.size()
                println checkpoints('a', run: 'r1')*.step == taken
                println checkpoint.status('a', run: 'r1')*.state
                println checkpoint.wait('a', run: 'r1', step: taken[-1], until: 'stored')*.level
                """.formatted(data));
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out().lines()).containsExactly("true", "true", "[latest]", "[stored]");
    }

    @Test
    void aFailedCommandEndsTheScript() throws IOException {
        var ended = workshop.script("println 'before'\nvolume.get 'nope'\nprintln 'after'\n");
        assertThat(ended.status()).isEqualTo(3);
        assertThat(ended.out()).isEqualTo("before\n");
        assertThat(ended.err()).contains("[VOL-0003]", "script.groovy:2: volume.get 'nope'", "exit 3 (not-found)")
                .doesNotContain("Exception");
    }

    @Test
    void failuresCanBeCaughtByKind() throws IOException {
        var ended = workshop.script("""
                try { volume.get 'nope' } catch (NotFound e) { println "$e.code $e.exit $e.kind $e.retryable" }
                def tried = attempt { volume.get 'nope' }
                println "${tried.ok} ${tried.exit} ${tried.failure.code} ${tried ? 1 : 0}"
                println attempt { 42 }.value
                def n = 0
                println retry(times: 5, on: NotFound, backoff: '1ms..2ms') { if (++n < 3) volume.get('nope'); n }
                try { retry(times: 2, backoff: '1ms') { n++; volume.get 'nope' } } catch (NotFound e) { println n }
                """);
        assertThat(ended.out().lines().toList()).containsExactly("VOL-0003 3 not-found false", "false 3 VOL-0003 0",
                "42", "3", "4");
    }

    @Test
    void exitCodesAreExact() throws IOException {
        assertThat(workshop.script("exit 42").status()).isEqualTo(42);
        assertThat(workshop.script("try { exit 7 } catch (Exception e) { exit 8 }").status()).isEqualTo(7);
        assertThat(workshop.script("fail 'no', code: 77").status()).isEqualTo(77);
        assertThat(workshop.script("fail 'no'").status()).isEqualTo(1);
        assertThat(workshop.script("expect(1 == 2)").status()).isEqualTo(11);
        assertThat(workshop.script("assert 1 == 2").status()).isEqualTo(11);
        assertThat(workshop.script("def x = (").status()).isEqualTo(2);
        assertThat(workshop.script("volume.create 'a', blokSize: 1.MiB").status()).isEqualTo(2);
        assertThat(workshop.script("deadline(50.ms) { while (true) { } }").status()).isEqualTo(124);
        assertThat(workshop.script("deadline(50.ms) { sleep 1.h }").status()).isEqualTo(124);
        assertThat(workshop.script("1 / 0").status()).isEqualTo(1);
        assertThat(workshop.script("'fine'").status()).isZero();
        assertThat(workshop.run("run", directory.resolve("absent.groovy").toString()).status()).isEqualTo(3);
        assertThat(workshop.run("run", directory.toString()).status()).isEqualTo(126);
    }

    @Test
    void bareNumbersAreRefusedForQuantities() throws IOException {
        var size = workshop.script("volume.create 'a', blockSize: 4");
        assertThat(size.err()).contains("blockSize: 4 needs a unit", "hint: write 4.MiB or '4MiB'");
        assertThat(size.status()).isEqualTo(2);
        var time = workshop.script("umount '/x', flushTimeout: 30d");
        assertThat(time.err()).contains("flushTimeout: 30 needs a unit", "30.d or '30d'");
        var retention = workshop.script("volume.create 'x', retention: 30d");
        assertThat(retention.err()).contains("retention: 30 needs a unit", "30.d or '30d'");
        assertThat(workshop.script("deadline(30) { }").err()).contains("deadline: 30 needs a unit");
        assertThat(workshop.script("println volumes").out()).isEqualTo("[]\n");
        assertThat(workshop.script("volume.create 'x', retention: 0; volume.create 'y', retention: -1; "
                + "println volumes.size()").out()).isEqualTo("2\n");
    }

    @Test
    void optionsOfAScriptAreDeclared() throws IOException {
        String script = """
                cli { about 'Shows itself.'; option 'data', type: String, default: 'imagenet'; option 'scratch', type: Size, default: '200GiB'
                      option 'step', type: Long, required: true; flag 'keep-going' }
                println "$opts.data ${opts.scratch.bytes} $opts.step $opts.keepGoing $opts.args $args"
                """;
        assertThat(workshop.script(script, "--step", "7", "--data=x y", "--keep-going", "file", "--", "-z").out())
                .isEqualTo("x y 214748364800 7 true [file, -z] [--step, 7, --data=x y, --keep-going, file, --, -z]\n");
        assertThat(workshop.script(script, "--help").out()).contains("Shows itself.", "--step LONG", "(required)");
        assertThat(workshop.script(script).err()).contains("--step is required");
        assertThat(workshop.script(script, "--stp", "1").err()).contains("did you mean: --step");
        assertThat(workshop.script(script, "--step", "x").status()).isEqualTo(2);
        assertThat(workshop.script(script, "--step", "1", "--", "-n", "$(id)").out()).contains("[-n, $(id)]");
    }

    @Test
    void whatIsDeferredIsDoneLastFirstAlsoAfterAFailure() throws IOException {
        var ended = workshop.script("""
                defer { println 'one' }
                defer { println 'two'; throw new IllegalStateException('lost') }
                scratch { dir ->
                    println Files.isDirectory(dir)
                    defer { println "inside ${Files.isDirectory(dir)}" }
                    (dir / 'file').text = 'x'
                    env.KEEP
                    Files.writeString(Path.of(args[0]), dir.toString())
                    volume.get 'nope'
                }
                """, directory.resolve("where").toString());
        assertThat(ended.out().lines().toList()).containsExactly("true", "inside true", "two", "one");
        assertThat(ended.status()).isEqualTo(3);
        assertThat(Path.of(Files.readString(directory.resolve("where")))).doesNotExist();
    }

    @Test
    void stoppingAScriptStillCleansUp() throws Exception {
        var stop = new Cancellation();
        Path running = directory.resolve("running");
        Thread.ofVirtual().start(() -> {
            Eventually.holds("the script runs", () -> Files.exists(running));
            stop.request();
        });
        Path file = workshop.file("endless.groovy", """
                defer { println 'cleaned'; sleep 10.ms; volume.ensure 'after' }
                Path.of('%s').text = 'x'
                while (true) { }
                """.formatted(running));
        var ended = workshop.run(stop, "run", file.toString());
        assertThat(ended.status()).isEqualTo(130);
        assertThat(ended.out()).isEqualTo("cleaned\n");
        assertThat(workshop.run("volume", "list", "-o", "name").out()).isEqualTo("after\n");
    }

    @Test
    void eachRunsInParallelAndCollectsFailures() throws IOException {
        var ended = workshop.script("""
                def gate = new java.util.concurrent.CyclicBarrier(4)
                println each(1..4, parallel: 4) { gate.await(); it * 10 }
                def batch = each(['a', 'nope', 'b'], parallel: 2, onError: 'collect') { volume.ensure(it == 'nope' ? '??' : it).name }
                println "${batch} ${batch.failures*.item} ${batch.failures[0].failure.exit}"
                each([1, 2, 3]) { if (it == 2) fail 'two', code: 9; println it }
                """);
        assertThat(ended.out().lines().toList()).containsExactly("[10, 20, 30, 40]", "[a, b] [nope] 2", "1");
        assertThat(ended.status()).isEqualTo(9);
    }

    @Test
    void aDryRunGoesThroughTheWholeScriptAndChangesNothing() throws IOException {
        workshop.run("volume", "create", "there", "-q");
        var before = tree();
        Path script = workshop.file("plan.groovy", """
                store.add 'lake', 'file://%1$s/lake'
                def v = volume.ensure 'fresh', store: 'lake', blockSize: 1.MiB
                volume.ensure 'there'
                put '/etc/hostname', "${v.name}:/x"
                def m = mount v, '%1$s/mnt'
                expect(m.healthy)
                expect(volume.get('fresh').used > 0.B) { 'nothing in it' }
                println sh('touch %1$s/touched')
                umount m
                volume.destroy v
                """.formatted(directory));
        var ended = workshop.run("-n", "run", script.toString());
        assertThat(ended.err()).doesNotContain("error:");
        assertThat(ended.out().lines().filter(line -> line.startsWith("would")).map(line -> line.split(" ")[1])
                .toList())
                .containsExactly("add", "volume", "put", "mount", "run", "unmount", "volume");
        assertThat(tree()).isEqualTo(before);
        assertThat(directory.resolve("touched")).doesNotExist();
        assertThat(workshop.run("-n", "--exit-code", "run", script.toString()).status()).isEqualTo(20);
        assertThat(workshop.run("-n", "--exit-code", "-e", "volume.ensure 'there'").status()).isZero();
        var inside = workshop.run("-n", "--exit-code", "-e",
                "cmd('volume create inside'); volume.set 'inside', 'inline=0'; null");
        assertThat(inside.out().lines().toList()).hasSize(2).allMatch(line -> line.startsWith("would "));
        assertThat(inside.status()).isEqualTo(20);
    }

    private String tree() throws IOException {
        try (Stream<Path> files = Files.walk(workshop.home())) {
            return String.join("\n",
                    files.map(Path::toString).filter(name -> !name.contains("/cache")).sorted().toList());
        }
    }

    @Test
    void aScriptIsCompiledOnceAndADamagedCacheIsHarmless() throws IOException {
        Path cache = workshop.home().resolve("cache/scripts");
        assertThat(workshop.script("println 6 * 7").out()).isEqualTo("42\n");
        Path kept;
        try (var files = Files.list(cache)) {
            kept = files.findFirst().orElseThrow();
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(cache))).isEqualTo("rwx------");
        var time = Files.getLastModifiedTime(kept);
        assertThat(workshop.script("println 6 * 7").out()).isEqualTo("42\n");
        assertThat(Files.getLastModifiedTime(kept)).isEqualTo(time);
        byte[] bytes = Files.readAllBytes(kept);
        bytes[bytes.length / 2] ^= 1;
        Files.write(kept, bytes);
        assertThat(workshop.script("println 6 * 7").out()).isEqualTo("42\n");
        assertThat(Files.readAllBytes(kept)).isNotEqualTo(bytes);
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.write(kept, bytes);
        assertThat(workshop.script("println 6 * 7").out()).isEqualTo("42\n");
        assertThat(Files.readAllBytes(kept)).as("a directory others can write to is not used").isEqualTo(bytes);
    }

    /**
     * Lines of a file are lines of this one, and what its code declares stays; settings hold for the lines that follow.
     */
    @Test
    void filesOfLinesIncludeOthers() throws IOException {
        workshop.file("lib.groovy", "def twice(n) { 2 * n }\ndef tier = 'gold'\n");
        workshop.file("lib.volsh", "volume create a -q --label tier=$tier\nset output csv\n");
        Path main = workshop.file("main.volsh", """
                source %1$s/lib.groovy
                source %1$s/lib.volsh
                volume list --columns name
                println twice(21)
                """.formatted(directory));
        var ended = workshop.run("run", main.toString());
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).endsWith("name\na\n42\n");
        assertThat(workshop.run("-c", "source "
                + workshop.file("self.volsh", "source " + directory.resolve("self.volsh"))).status()).isEqualTo(2);
        assertThat(workshop.run("-c", "source " + directory.resolve("absent.volsh")).status()).isEqualTo(3);
        assertThat(workshop.run("-c", "set output nosuch").status()).isEqualTo(2);
    }

    /** What other tests do not use by the way. */
    @Test
    void theSmallWordsOfTheLanguage() throws IOException {
        workshop.with("TIER", "gold").with("SLURM_JOB_ID", "42").with("SLURM_SCRIPT_CONTEXT", "prolog_slurmd");
        var ended = workshop.script("""
                println sh('echo a; echo b').readLines()
                println sh(['printf', '%s', "it's > one; word"])
                println attempt { sh 'exit 7' }.ok
                println "${env.TIER} ${env.NOPE} ${slurm.jobId} ${slurm.context} ${slurm.jobUser}"
                log.info 'told'; log.warn 'beware'; log.error 'bad'; log.debug 'hidden'
                println sha256(random(1.KiB, seed: 5)) == sha256(random(1.KiB, seed: 5))
                println now.isBefore(now.plusSeconds(1)) && today.year > 2000
                scratch { dir -> (dir / 'f').text = 'x'; println sha256(dir / 'f').length() }
                emit([[a: 1, b: 2], [a: 3, b: 4]], columns: ['b'])
                println each([3, 1, 2], parallel: 3, progress: 'counting') { it + 1 }
                println matrix(x: [1, 2], y: [3]).size()
                sleep 1.ms
                """);
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out().lines().toList()).containsExactly("[a, b]", "it's > one; word", "false",
                "gold null 42 prolog_slurmd null", "true", "true", "64", "B", "2", "4", "[4, 2, 3]", "2");
        assertThat(ended.err()).contains("told", "warning: beware", "bad").doesNotContain("hidden");
    }

    @Test
    void aFileIsPlainGroovy() throws IOException {
        var ended = workshop.script("""
                #!/usr/bin/env -S volsh run
                import groovy.transform.Field
                @Field int count = 2
                record Point(int x, int y) { }
                enum Kind { A, B }
                def add(Point p) { p.x() + p.y() + count }
                println add(new Point(1, 2)) + " ${Kind.values()*.name()}"
                def local = 5
                println([1, 2].collect { it + local })
                """);
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).isEqualTo("5 [A, B]\n[6, 7]\n");
    }

    @Test
    void aFileThatIsNoTextIsRefused() throws IOException {
        Path script = Files.write(workshop.file("rubbish.groovy", ""), new byte[] {'x', (byte) 0xff, (byte) 0xfe});
        assertThat(workshop.run("run", script.toString()).err())
                .contains("rubbish.groovy' is not UTF-8 text", "exit 2");
        assertThat(workshop.run("-c", "source " + script).err()).contains("is not UTF-8 text");
    }

    @Test
    void valuesAreShownAsTheOptionsSay() throws IOException {
        workshop.run("-c", "volume create a -q; volume create b -q");
        assertThat(workshop.run("-e", "volumes*.name").out()).isEqualTo("a\nb\n");
        assertThat(workshop.run("-o", "jsonl", "-e", "volumes.collect { [name: it.name, size: it.blockSize] }").out())
                .isEqualTo("{\"name\": \"a\", \"sizeBytes\": 4194304}\n{\"name\": \"b\", \"sizeBytes\": 4194304}\n");
        assertThat(workshop.run("-o", "csv", "-e", "emit volumes, columns: ['name', 'used']; null").out())
                .isEqualTo("name,usedBytes\na,0\nb,0\n");
        assertThat(workshop.run("-o", "json", "-e", "volume.get 'nope'").err())
                .startsWith("{\"error\":{\"code\":\"VOL-0003\"");
    }

    @Test
    void theScriptOfTheReadmeRuns() throws IOException {
        Path project = Path.of(System.getProperty("volsh.project", "")).toAbsolutePath();
        Path readme = Files.exists(project.resolve("README.md")) ? project.resolve("README.md")
                : project.getParent().resolve("README.md");
        String text = Files.readString(readme);
        int start = text.indexOf("```groovy\n") + "```groovy\n".length();
        var ended = workshop.script(text.substring(start, text.indexOf("```", start)), "--name", "scratch");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).isEqualTo("NAME     USED\nscratch    0B\ndone with scratch\n");
    }

    @Test
    void confirmationsNeverHang() throws IOException {
        assertThat(workshop.script("confirm 'really?'; println 'done'").status()).isEqualTo(2);
        Path file = workshop.file("ask.groovy", "confirm 'really?'; println 'done'");
        assertThat(workshop.run("-y", "run", file.toString()).out()).isEqualTo("done\n");
        assertThat(workshop.run("-n", "run", file.toString()).out()).isEqualTo("would ask: really?\ndone\n");
        assertThat(workshop.script("volume.ensure 'a'; volume.destroy 'a'").status()).isEqualTo(2);
    }
}
