package volsh.command.line;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import volsh.catalog.VolumePath;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.directory.DirectoryWords;
import volsh.command.failure.CommandFailure;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;

/**
 * What all command lines of a program share, wherever they write to: the names of commands, the builtins, the aliases,
 * the jobs, and whether a failure stops them.
 */
public final class LineWords {
    /** What can be set for the lines that follow, in scripts too. */
    public static final Set<String> SETTINGS = Set.of("output", "color");

    private final Set<String> tree;
    private final Map<String, Builtin> builtins = new ConcurrentHashMap<>();
    private final Aliases aliases = new Aliases();
    private final Jobs jobs;
    private volatile boolean keepGoing;

    LineWords(Set<String> tree, Jobs jobs) {
        this.tree = Set.copyOf(tree);
        this.jobs = jobs;
        var directory = new DirectoryWords(jobs.directory());
        with("use", directory::use);
        with("cd", directory::cd);
        with("pwd", directory::pwd);
        with("true", (_, _) -> null);
        with("false", (_, _) -> Outcome.ended(1));
        with("exit", (words, _) -> {
            throw new Exit(words.isEmpty() ? 0 : status(words.getFirst()));
        });
        with("set", this::set);
        with("jobs", (_, _) -> jobs.all().stream().map(Job::row).toList());
        with("wait", (words, session) -> Outcome.ended(
                Jobs.await(words.isEmpty() ? jobs.running() : jobs.named(words),
                        Stop.current(session.cancellation()))));
        with("kill", (words, _) -> kill(words));
    }

    /** One more word, or another meaning of it. */
    public LineWords with(String name, Builtin builtin) {
        builtins.put(name, builtin);
        return this;
    }

    public Aliases aliases() {
        return aliases;
    }

    public Jobs jobs() {
        return jobs;
    }

    /**
     * The word of ours that the line begins with; null if it is a command. {@code history} is both: of a place in a
     * volume it is the command.
     */
    @Nullable Builtin builtin(List<String> words) {
        boolean command = tree.contains(words.getFirst()) && words.stream().skip(1).anyMatch(VolumePath::isOne);
        return command ? null : builtins.get(words.getFirst());
    }

    /** Whether a command line can begin so. */
    public boolean isCommand(String name) {
        return isReserved(name) || aliases.contains(name);
    }

    /** Commands and builtins, which no variable may be called, and no alias; and the program itself. */
    public boolean isReserved(String name) {
        return tree.contains(name) || builtins.containsKey(name) || name.equals(CommandTree.PROGRAM);
    }

    Set<String> names() {
        var names = new TreeSet<>(tree);
        names.addAll(builtins.keySet());
        return names;
    }

    void keepGoing(boolean wanted) {
        keepGoing = wanted;
    }

    boolean keepsGoing() {
        return keepGoing;
    }

    private @Nullable Object kill(List<String> words) {
        if (words.isEmpty()) {
            throw CommandFailure.usage("kill needs the numbers of jobs").hint("jobs");
        }
        jobs.named(words).forEach(Job::stop);
        return null;
    }

    private static int status(String word) {
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException wrong) {
            throw CommandFailure.usage("exit needs a number, not '" + word + "'");
        }
    }

    private @Nullable Object set(List<String> words, Session session) {
        if (words.size() == 2 && SETTINGS.contains(words.getFirst())) {
            try {
                session.options().become(List.of("--%s=%s".formatted(words.getFirst(), words.getLast())));
            } catch (picocli.CommandLine.ParameterException wrong) {
                throw CommandFailure.usage(
                        String.valueOf(wrong.getMessage()).replaceFirst("^Invalid value for option '[^']*': ", ""));
            }
            return null;
        }
        if (!words.equals(List.of("-e")) && !words.equals(List.of("+e"))) {
            throw CommandFailure.usage(
                    "usage: set -e (stop at the first failure), set +e (continue), set output FORMAT, set color WHEN");
        }
        keepGoing = words.getFirst().equals("+e");
        return null;
    }

    /** How values are shown; a prompt puts a pager in. */
    public interface Printing {
        Printing PLAIN = CommandRunner::print;

        void print(@Nullable Object value, Session session) throws IOException;
    }
}
