package volsh.command.typing;

import java.util.List;
import java.util.StringJoiner;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import volsh.command.OptionNames;
import volsh.command.complete.LineWalk;
import volsh.command.man.Manual;
import volsh.command.typing.Place.Typed;

/**
 * What comes next in a line: how the command is written, and what stands at the cursor.
 *
 * @param usage   {@code mount VOLUME[:PATH] DIRECTORY [OPTION...]}; empty where there is nothing to tell
 * @param current the part of it that stands at the cursor, perhaps empty
 * @param meaning what that is
 */
public record Tip(String usage, String current, String meaning) {
    public static final Tip NONE = new Tip("", "", "");

    public static Tip of(String line, int cursor, Lexicon lexicon) {
        if (line.substring(0, cursor).isBlank()) {
            return NONE;
        }
        return switch (Place.of(line, cursor, lexicon.rule())) {
            case Place.InCommand(List<String> words, Typed typed) -> command(Prefixed.inner(words), typed,
                    lexicon.tree().get());
            case Place.InPipe pipe when !pipe.words().isEmpty() -> pipe(pipe.words().getFirst());
            case Place.InPipe pipe -> pipe(pipe.typed().text());
            case Place.InCode _, Place.InFile _, Place.Nowhere _ -> NONE;
        };
    }

    private static Tip pipe(String verb) {
        return PipeWord.named(verb)
                .map(word -> new Tip("| " + word.name() + " " + word.usage(), word.usage(), word.summary()))
                .orElse(NONE);
    }

    private static Tip command(List<String> words, Typed typed, CommandSpec root) {
        LineWalk walk = LineWalk.along(root, words);
        CommandSpec spec = walk.spec();
        var exact = spec.subcommands().get(typed.text());
        if (walk.arguments() == 0 && exact != null) {
            spec = exact.getCommandSpec();
        }
        if (spec.parent() == null) {
            return NONE;
        }
        if (walk.awaiting() != null) {
            return option(walk.awaiting());
        }
        OptionSpec named = typed.text().startsWith("-") ? spec.findOption(typed.text().split("=", 2)[0]) : null;
        return named != null ? option(named) : usage(spec, walk.arguments());
    }

    private static Tip option(OptionSpec option) {
        String value = option.arity().max() > 0 ? option.paramLabel() : "";
        return new Tip((OptionNames.main(option) + " " + value).strip(), value, meaning(option));
    }

    private static Tip usage(CommandSpec spec, int arguments) {
        if (!spec.subcommands().isEmpty() && spec.positionalParameters().isEmpty()) {
            var verbs = new StringJoiner("|");
            Manual.visible(spec).forEach(verb -> verbs.add(verb.name()));
            return new Tip(name(spec) + " " + verbs, "", "");
        }
        String usage = Manual.of(spec).synopsis().substring(spec.root().name().length() + 1);
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            if (!parameter.hidden() && parameter.index().contains(arguments)) {
                return new Tip(usage, parameter.paramLabel(), meaning(parameter));
            }
        }
        return new Tip(usage, "", "");
    }

    private static String name(CommandSpec spec) {
        return spec.qualifiedName().substring(spec.root().name().length() + 1);
    }

    private static String meaning(ArgSpec argument) {
        return argument.description().length == 0 ? "" : argument.description()[0];
    }
}
