package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.Cancellation;
import volsh.command.GlobalOptions;
import volsh.command.Session;
import volsh.command.failure.CancelledException;
import volsh.command.failure.CommandFailure;
import volsh.command.line.Language;
import volsh.command.line.Language.Source;
import volsh.command.line.Program;
import volsh.command.line.Stop;
import volsh.command.tree.Commands;
import volsh.hang.Eventually;
import volsh.unit.ByteSize;
import volsh.unit.Rate;
import volsh.unit.Span;

/** A session of entries: what stays, what is refused, how it stops. */
@Timeout(120)
final class EntriesTest {
    /** What entries count up, to see how often they ran. */
    public static final AtomicInteger RUNS = new AtomicInteger();

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Cancellation cancellation = new Cancellation();
    private Program program;
    private Language language;

    @BeforeEach
    void start() {
        RUNS.set(0);
        var workshop = new Workshop(directory);
        var services = workshop.services();
        var session = new Session(workshop.host(out, OutputStream.nullOutputStream(), services), GlobalOptions.of(),
                cancellation);
        program = new Program(Commands.tree(services), session, cancellation);
        language = program.language();
    }

    @AfterEach
    void end() {
        program.close();
    }

    private Object entry(String text) throws Exception {
        return language.entry(new Source("prompt", text));
    }

    private CommandFailure refused(String text) {
        return catchThrowableOfType(CommandFailure.class, () -> entry(text));
    }

    @Test
    void variablesStayAndInitialisersRunOnce() throws Exception {
        entry("def v = volsh.script.EntriesTest.RUNS.incrementAndGet()");
        entry("int n = 3");
        entry("String s = \"n is ${n}\"");
        entry("def (p, q) = [1, 2]");
        entry("def unset");
        entry("n += 1");
        assertThat(entry("[v, n, s, p, q, unset]").toString()).isEqualTo("[1, 4, n is 3, 1, 2, null]");
        assertThat(RUNS).hasValue(1);
        assertThat(language.names()).contains("v", "n", "s", "p", "q", "volume", "emit");
    }

    @Test
    void methodsClassesAndImportsStay() throws Exception {
        entry("def twice(x) { x * 2 }\ndef twice(x, y) { x * y * 2 }");
        entry("class Foo { int z = 5 }");
        entry("import java.util.concurrent.TimeUnit\nimport static java.lang.Math.max");
        entry("def four() { twice(2) }");
        assertThat(entry("twice(21) + twice(1, 1) + new Foo().z + four()")).isEqualTo(42 + 2 + 5 + 4);
        assertThat(entry("max(1, TimeUnit.DAYS.toHours(1))")).isEqualTo(24L);
        entry("def twice(x) { 'again' }");
        assertThat(entry("four()")).isEqualTo("again");
    }

    @Test
    void quantitiesAreLiterals() throws Exception {
        assertThat(entry("4.MiB")).isEqualTo(new ByteSize(4 << 20));
        assertThat(entry("1.8.GiB")).isEqualTo(ByteSize.of("1.8GiB"));
        assertThat(entry("30.d")).isEqualTo(Span.of("30d"));
        assertThat(entry("2.GiB / 1.s")).isEqualTo(Rate.of("2GiB/s"));
        assertThat(entry("[40.ms < 1.s, 4.MiB + 4.MiB == 8.MiB, 10.kB.bytes, -(1.KiB)]").toString())
                .isEqualTo("[true, true, 10000, -1024]");
    }

    @Test
    void namesOfCommandsAreReserved() {
        assertThat(refused("def mount = 1")).hasMessage("'mount' is a command; choose another name");
        assertThat(refused("volume = 3").problem().details()).contains("prompt:1: volume = 3", " ".repeat(10) + "^");
        assertThat(language.names()).doesNotContain("nothing");
    }

    @Test
    void errorsSpeakOfTheUsersLine() throws Exception {
        assertThat(refused("def x = [1,\n2").problem().code()).isEqualTo("SCR-0002");
        entry("def depth(n) {\n  n == 0 ? nonsense : depth(n - 1)\n}");
        assertThat(refused("depth(3)")).hasMessage("unknown name 'nonsense'");
        assertThat(refused("depth(3)").problem().details())
                .containsExactly("prompt:2: n == 0 ? nonsense : depth(n - 1)", "from prompt:1: depth(3)");
        assertThat(refused("volums").problem().hints()).containsExactly("did you mean: volumes");
        assertThat(refused("@Grab('a:b:1')\nimport a.B")).hasMessageContaining("@Grab is disabled");
    }

    @Test
    void loopsStopWhenAskedTo() throws Exception {
        for (String endless : new String[] {"while (true) { }", "for (;;) { }", "def f() { f2() }; def f2() "
                + "{ sleep 3600000 }; f()", "[1].each { while (true) { } }", "do { } while (true)", "sleep 1.h"}) {
            var stop = new Cancellation();
            var begun = directory.resolve("begun-" + Math.abs(endless.hashCode()));
            Thread.ofVirtual().start(() -> {
                Eventually.holds("it has begun", () -> Files.exists(begun));
                stop.request();
            });
            assertThat(catchThrowableOfType(CancelledException.class, () -> Stop.under(stop, () -> entry(
                    "java.nio.file.Files.createFile(java.nio.file.Path.of('%s')); %s".formatted(begun, endless)))))
                    .as(endless).isNotNull();
            assertThat(Thread.interrupted()).isFalse();
        }
        assertThat(entry("1 + 1")).isEqualTo(2);
    }

    @Test
    void aCommandsAnswerCanBeKept() throws Exception {
        entry("volume.create 'alpha'");
        entry("x = :volume list | select name");
        assertThat(entry("x*.name").toString()).isEqualTo("[alpha]");
        entry("def name = 'alpha'");
        assertThat(entry("cmd('volume show ${name} | select store')*.store").toString()).isEqualTo("[default]");
    }

    @Test
    void theLineRuleKnowsTheWordsOfTheLanguage() {
        var own = new java.util.TreeSet<String>();
        for (var method : VolshScript.class.getDeclaredMethods()) {
            boolean word = java.lang.reflect.Modifier.isPublic(method.getModifiers()) && !method.isSynthetic();
            if (word) {
                own.add(method.getName());
            }
        }
        own.removeAll(java.util.Set.of("getProperty", "invokeMethod", "print", "println", "printf", "pause", "missed",
                "exit"));
        own.addAll(java.util.Set.of("args", "opts", "env", "jobs", "log", "slurm", "now", "today", "volumes", "stores",
                "mounts", "sleep"));
        assertThat(Program.WORDS).containsExactlyInAnyOrderElementsOf(own);
    }
}
