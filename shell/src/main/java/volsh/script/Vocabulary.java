package volsh.script;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.Action;
import volsh.command.failure.CancelledException;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Problem;
import volsh.command.failure.Similar;
import volsh.command.render.Row;
import volsh.command.run.Caller;

/**
 * The commands of the tree as words of the language: {@code volume.create 'x', store: 'lake'} runs
 * {@code volume create}, and {@code mount v, '/mnt'} runs {@code mount}. There is no second implementation of anything.
 */
final class Vocabulary {
    /** Nouns whose things can be walked through, under the name of many of them. */
    private static final Map<String, String> MANY = Map.of("volumes", "volume", "stores", "store", "mounts", "mounts");

    private final Caller caller;
    private final Runnable beforeCalls;
    private final Set<String> names;
    private final Map<String, CommandSpec> commands = new ConcurrentHashMap<>();

    /** {@code beforeCalls} is run before each command: what the script wrote comes before what the command writes. */
    Vocabulary(Caller caller, Runnable beforeCalls) {
        this.caller = caller;
        this.beforeCalls = beforeCalls;
        this.names = caller.names();
    }

    Set<String> names() {
        var all = new TreeSet<>(names);
        all.addAll(MANY.keySet());
        return all;
    }

    boolean isCommand(String name) {
        return names.contains(name);
    }

    /** Most scripts call a few: each is made when it is first asked for. */
    private CommandSpec command(String name) {
        return isCommand(name) ? commands.computeIfAbsent(name, wanted -> caller.command(wanted).orElseThrow()) : null;
    }

    /** What the name alone means: all things of a kind, a noun, or a command to be called; null if nothing. */
    Object property(String name) {
        if (MANY.containsKey(name) && isCommand(MANY.get(name))) {
            return new Listing(this, MANY.get(name));
        }
        return isCommand(name) ? new Noun(this, List.of(name)) : null;
    }

    /** Whether there are commands below this one. */
    boolean leads(List<String> path) {
        CommandSpec at = command(path.getFirst());
        for (String verb : path.subList(1, path.size())) {
            at = at == null || !at.subcommands().containsKey(verb) ? null : at.subcommands().get(verb).getCommandSpec();
        }
        return at != null && !at.subcommands().isEmpty();
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
                    "'" + String.join(" ", path) + "' failed in part").problem();
            throw VolshException.of(problem, value, null);
        }
        return value;
    }

    /**
     * What is wrong with a call, if anything, without running it. {@code partial}: there are arguments that are not
     * known yet.
     */
    Optional<CommandFailure> problem(List<String> path, boolean partial, Object... arguments) {
        try {
            return caller.problem(Arguments.words(find(path), path, arguments), partial);
        } catch (VolshException wrong) {
            return Optional.of(CommandFailure.of(wrong.problem()));
        }
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
        CommandSpec command = command(noun);
        boolean shown = command != null && command.subcommands().containsKey("show");
        if (!shown) {
            return value instanceof List<?> list ? changeable(list.stream()) : value;
        }
        return switch (value) {
            case Row row -> resource(caller.dryRun() ? planned(row, path, words) : row, noun, caller.dryRun(), words);
            case List<?> list -> changeable(
                    list.stream().map(item -> item instanceof Row row ? resource(row, noun, false, words) : item));
            case null, default -> value;
        };
    }

    /** A list of the script's own: Groovy's {@code sort} works in place. */
    private static List<Object> changeable(Stream<?> items) {
        return items.collect(Collectors.toCollection(ArrayList::new));
    }

    /** A checkpoint is found by its volume, which the words name, its run and its step. */
    private Resource resource(Row row, String noun, boolean planned, List<String> words) {
        boolean checkpoint = noun.equals("checkpoint") && row.containsKey("run") && row.containsKey("step")
                && words.contains("--");
        return checkpoint ? new Resource(row, this, noun, planned,
                List.of(Map.of("run", row.get("run"), "step", row.get("step")), words.get(words.indexOf("--") + 1)))
                : new Resource(row, this, noun, planned);
    }

    /** The checkpoints of all volumes; skips a volume that cannot be opened, with a warning. */
    List<?> checkpoints(Consumer<String> warn) {
        var all = new ArrayList<Object>();
        for (Object volume : (List<?>) call(List.of("volume", "list"))) {
            try {
                all.addAll((List<?>) call(List.of("checkpoint", "list"), ((Row) volume).name()));
            } catch (VolshException closed) {
                warn.accept(closed.getMessage());
            }
        }
        return all;
    }

    /** A planned mount is identified by its mount point. */
    private static Row planned(Row row, List<String> path, List<String> words) {
        return path.equals(List.of("mount")) && !row.containsKey("mountPoint")
                ? Row.of(Map.of("mountPoint", words.getLast())).planned() : row;
    }

    CommandSpec find(List<String> path) {
        CommandSpec at = command(path.getFirst());
        for (String verb : path.subList(1, path.size())) {
            CommandLine next = at.subcommands().get(verb);
            if (next == null) {
                throw missing(String.join(" ", path.subList(0, path.indexOf(verb))), verb, at);
            }
            at = next.getCommandSpec();
        }
        if (!(at.userObject() instanceof Action<?>)) {
            throw Arguments.usage("missing operation of " + String.join(" ", path) + "; operations: "
                    + String.join(", ", new TreeSet<>(at.subcommands().keySet())));
        }
        return at;
    }

    /** Whether the name is a command by itself that has this option. */
    boolean takes(String name, String option) {
        CommandSpec command = command(name);
        return command != null && command.subcommands().isEmpty() && command.findOption("--" + option) != null;
    }

    /** What {@code get} means below a noun: a command of this name, else {@code show}. */
    String getter(List<String> noun) {
        CommandSpec command = noun.size() == 1 ? command(noun.getFirst()) : null;
        return command != null && command.subcommands().containsKey("get") ? "get" : "show";
    }

    boolean has(String noun, String verb) {
        return command(noun).subcommands().containsKey(verb);
    }

    private static VolshException missing(String noun, String verb, CommandSpec at) {
        var verbs = new ArrayList<>(at.subcommands().keySet());
        List<String> similar = Similar.to(verb, verbs);
        return Arguments.usage("%s has no operation '%s'".formatted(noun, verb), similar.isEmpty()
                ? "volsh help " + noun : "did you mean: " + noun.replace(' ', '.') + "." + similar.getFirst());
    }
}
