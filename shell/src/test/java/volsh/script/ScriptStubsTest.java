package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import groovy.lang.GroovyClassLoader;
import groovy.transform.NamedParam;
import groovy.transform.NamedParams;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.codehaus.groovy.control.MultipleCompilationErrorsException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import volsh.command.Action;
import volsh.command.OptionNames;
import volsh.command.Services;
import volsh.command.line.Program;
import volsh.command.man.Manual;
import volsh.command.tree.Commands;

/** The file from which editors complete scripts: every command, option and word is in it, and it compiles. */
final class ScriptStubsTest {
    private static String text;
    private static GroovyClassLoader loader;
    private static Class<?> dsl;

    @BeforeAll
    static void compiled(@TempDir Path directory) throws Exception {
        var ended = new Workshop(directory).run("completion", "groovy");
        assertThat(ended.status()).as(ended.err()).isZero();
        text = ended.out();
        loader = new GroovyClassLoader(ScriptStubsTest.class.getClassLoader());
        dsl = loader.parseClass(text, "VolshDsl.groovy");
        assertThat(new Workshop(directory).run("completion", "gdsl").out()).contains("findClass('" + dsl.getName() + "')");
    }

    @Test
    void everyCommandIsAMethodWithItsOptions() throws ReflectiveOperationException {
        var missing = new ArrayList<String>();
        int commands = check(Commands.tree(new Services()).spec(), dsl, missing);
        assertThat(missing).isEmpty();
        assertThat(commands).isGreaterThan(100);
    }

    private static int check(CommandSpec parent, Class<?> type, List<String> missing)
            throws ReflectiveOperationException {
        int commands = 0;
        for (CommandSpec command : Manual.visible(parent)) {
            List<Method> methods = Arrays.stream(type.getMethods())
                    .filter(method -> method.getName().equals(command.name())).toList();
            if (command.userObject() instanceof Action<?>) {
                commands++;
                var named = new TreeSet<String>();
                methods.forEach(method -> named.addAll(options(method)));
                for (OptionSpec option : command.options()) {
                    String name = Arguments.camel(OptionNames.main(option).replaceFirst("^--?", ""));
                    if (!option.hidden() && !named.contains(name)) {
                        missing.add(command.qualifiedName() + " " + name);
                    }
                }
            }
            if (!command.subcommands().isEmpty()) {
                commands += check(command, type.getMethod("get" + Character.toUpperCase(command.name().charAt(0))
                        + command.name().substring(1)).getReturnType(), missing);
            }
        }
        return commands;
    }

    private static List<String> options(Method method) {
        if (method.getParameterCount() == 0) {
            return List.of();
        }
        NamedParams all = method.getParameters()[0].getAnnotation(NamedParams.class);
        return all == null ? List.of() : Arrays.stream(all.value()).map(NamedParam::value).toList();
    }

    @Test
    void everyWordIsThere() {
        var names = new TreeSet<String>();
        for (Method method : dsl.getMethods()) {
            names.add(method.getName());
        }
        for (String word : Program.WORDS) {
            String getter = "get" + Character.toUpperCase(word.charAt(0)) + word.substring(1);
            assertThat(names.contains(word) || names.contains(getter)).as(word).isTrue();
        }
        for (Method method : VolshScript.class.getDeclaredMethods()) {
            boolean word = java.lang.reflect.Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()
                    && !List.of("missed", "pause", "begin").contains(method.getName());
            assertThat(!word || names.contains(method.getName())).as(method.getName()).isTrue();
        }
    }

    /** As an editor sees it: what is right is known, what is wrong is not. */
    @Test
    void editorsTellRightFromWrong() {
        typed("volume.create 'x', blockSize: 4, store: 'lake'");
        typed("def v = volume.get('x')\nmount v, '/mnt', readOnly: true");
        typed("volume.list(where: 'used > 1')\nbench.baseline.check 'nightly'\nretry(times: 3) { sh('true') }");
        assertThatThrownBy(() -> typed("volume.creat 'x'")).isInstanceOf(MultipleCompilationErrorsException.class)
                .hasMessageContaining("creat");
        assertThatThrownBy(() -> typed("volume.create 'x', blokSize: 4")).hasMessageContaining("blokSize");
    }

    private static void typed(String script) {
        loader.parseClass("@groovy.transform.BaseScript VolshDsl dsl\n@groovy.transform.TypeChecked\ndef go() {\n"
                + script + "\n}\n", "Typed" + Math.abs(script.hashCode()) + ".groovy");
    }
}
