package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Services;

/**
 * The fields that picocli fills are {@code @Nullable} if their option or parameter may be left out, and no others are:
 * NullAway cannot know, so it believes what they are declared.
 */
final class OptionalOptionsTest {
    @Test
    void whatMayBeLeftOutIsNullable() {
        var faults = new TreeSet<String>();
        int fields = check(Commands.tree(new Services()).spec(), faults);
        assertThat(fields).as("the tree was walked").isGreaterThan(400);
        assertThat(faults).isEmpty();
    }

    @Command(name = "sample")
    @NullMarked
    static final class Sample {
        @Option(names = "--forgotten")
        String forgotten;

        @Option(names = "--superfluous", defaultValue = "1")
        @Nullable Integer superfluous;

        @Option(names = "--optional")
        @Nullable Integer optional;

        @Option(names = "--required", required = true)
        String required;

        @Option(names = "--words")
        String @Nullable [] words;

        @Option(names = "--preset")
        String preset = "x";

        @Option(names = "--flag")
        boolean flag;

        @Parameters(arity = "0..1")
        String missing;
    }

    @Test
    void wrongDeclarationsAreSeen() {
        var faults = new TreeSet<String>();
        assertThat(check(CommandSpec.forAnnotatedObject(new Sample()), faults)).isEqualTo(8);
        assertThat(faults).containsExactly("Sample.forgotten may be left out: it has to be @Nullable",
                "Sample.missing may be left out: it has to be @Nullable",
                "Sample.superfluous always has a value: it must not be @Nullable");
    }

    private static int check(CommandSpec command, TreeSet<String> faults) {
        int fields = 0;
        for (var argument : command.args()) {
            if (argument.userObject() instanceof Field field) {
                fields++;
                check(argument, field, faults);
            }
        }
        for (var below : command.subcommands().values().stream().distinct().toList()) {
            fields += check(below.getCommandSpec(), faults);
        }
        return fields;
    }

    private static void check(ArgSpec argument, Field field, TreeSet<String> faults) {
        boolean declared = field.getAnnotatedType().isAnnotationPresent(Nullable.class);
        boolean optional = !argument.required() && argument.defaultValue() == null && argument.getValue() == null;
        String name = field.getDeclaringClass().getSimpleName() + "." + field.getName();
        if (optional && !declared) {
            faults.add(name + " may be left out: it has to be @Nullable");
        } else if (declared && !optional) {
            faults.add(name + " always has a value: it must not be @Nullable");
        }
    }
}
