package volsh.script;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.failure.CancelledException;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Problem;
import volsh.command.failure.Similar;
import volsh.command.render.Row;
import volsh.command.run.Caller;

/**
 * The commands of the tree as words of the language: {@code volume.create 'x', store: 'lake'} runs {@code volume create},
 * and {@code mount v, '/mnt'} runs {@code mount}. There is no second implementation of anything.
 */
final class Vocabulary {
    /** Nouns whose things can be walked through, under the name of many of them. */
    private static final Map<String, String> MANY = Map.of("volumes", "volume", "stores", "store", "mounts", "mounts");

    private final Caller caller;
    private final Runnable beforeCalls;
    private final Map<String, CommandSpec> commands = new HashMap<>();

    /** {@code beforeCalls} is run before each command: what the script wrote comes before what the command writes. */
    Vocabulary(Caller caller, Runnable beforeCalls) {
        this.caller = caller;
        this.beforeCalls = beforeCalls;
        caller.spec().subcommands().forEach((name, line) -> commands.put(name, line.getCommandSpec()));
    }

    Set<String> names() {
        var names = new TreeSet<>(commands.keySet());
        names.addAll(MANY.keySet());
        return names;
    }

    boolean isCommand(String name) {
        return commands.containsKey(name);
    }

    /** What the name alone means: all things of a kind, a noun, or a command to be called; null if nothing. */
    Object property(String name) {
        if (MANY.containsKey(name) && commands.containsKey(MANY.get(name))) {
            return new Listing(this, MANY.get(name));
        }
        return isCommand(name) ? new Noun(this, name) : null;
    }

    /** Calls {@code path}, with named and other arguments as Groovy gives them. */
    Object call(List<String> path, Object... arguments) {
        CommandSpec command = find(path);
        List<String> words = Arguments.words(command, path, arguments);
        beforeCalls.run();
        Caller.Answer answer = run(words);
        Object value = typed(caller.value(answer), path, words);
        if (answer.outcome().exit() != ExitCode.OK) {
            Problem problem = CommandFailure.of(answer.outcome().exit(), "CLI-00" + answer.outcome().status(),
                    "'" + String.join(" ", path) + "' did not succeed with everything").problem();
            throw VolshException.of(problem, value, null);
        }
        return value;
    }

    private Caller.Answer run(List<String> words) {
        try {
            return caller.call(words);
        } catch (CancelledException asked) {
            throw asked;
        } catch (InterruptedException asked) {
            throw new CancelledException();
        } catch (Exception failure) {
            throw VolshException.of(Diagnosis.of(failure), failure);
        }
    }

    private Object typed(Object value, List<String> path, List<String> words) {
        String noun = path.getFirst().equals("mount") ? "mounts" : path.getFirst();
        boolean shown = commands.get(noun) != null && commands.get(noun).subcommands().containsKey("show");
        if (!shown) {
            return value;
        }
        return switch (value) {
            case Row row -> new Resource(caller.dryRun() ? planned(row, path, words) : row, this, noun, caller.dryRun());
            case List<?> list -> list.stream().map(item ->
                    item instanceof Row row ? new Resource(row, this, noun, false) : item).toList();
            case null, default -> value;
        };
    }

    /** A mount that is only planned is known by where it would be. */
    private static Row planned(Row row, List<String> path, List<String> words) {
        return path.equals(List.of("mount")) && !row.containsKey("mountPoint")
                ? Row.of(Map.of("mountPoint", words.getLast())) : row;
    }

    CommandSpec find(List<String> path) {
        CommandSpec at = commands.get(path.getFirst());
        for (String verb : path.subList(1, path.size())) {
            CommandLine next = at.subcommands().get(verb);
            if (next == null) {
                throw missing(path.getFirst(), verb, at);
            }
            at = next.getCommandSpec();
        }
        if (!at.subcommands().isEmpty()) {
            throw Arguments.usage("which operation of " + path.getFirst() + "? There are: "
                    + String.join(", ", new TreeSet<>(at.subcommands().keySet())));
        }
        return at;
    }

    /** Whether the name is a command by itself that has this option. */
    boolean takes(String name, String option) {
        CommandSpec command = commands.get(name);
        return command != null && command.subcommands().isEmpty() && command.findOption("--" + option) != null;
    }

    boolean has(String noun, String verb) {
        return commands.get(noun).subcommands().containsKey(verb);
    }

    private static VolshException missing(String noun, String verb, CommandSpec at) {
        var verbs = new ArrayList<>(at.subcommands().keySet());
        List<String> similar = Similar.to(verb, verbs);
        return Arguments.usage("%s has no operation '%s'".formatted(noun, verb), similar.isEmpty()
                ? "volsh help " + noun : "did you mean: " + noun + "." + similar.getFirst());
    }
}
