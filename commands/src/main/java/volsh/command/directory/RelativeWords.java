package volsh.command.directory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import volsh.catalog.VolumePath;
import volsh.command.PassesCommand;
import volsh.command.RelativePath;
import volsh.command.RelativePaths;
import volsh.command.RelativeWord;
import volsh.command.complete.LineWalk;
import volsh.command.complete.LineWalk.Value;
import volsh.command.failure.CommandFailure;

/** Writes the relative paths of a command line out in full. */
public final class RelativeWords {
    private final CommandSpec root;
    private final Optional<VolumePath> directory;

    /** {@code root} has the commands of the line. */
    public RelativeWords(CommandSpec root, Optional<VolumePath> directory) {
        this.root = root;
        this.directory = directory;
    }

    /**
     * The same line with full paths. Without a path, a command that takes the working directory gets it; {@code ls}
     * nowhere lists the volumes.
     */
    public List<String> resolved(List<String> words) {
        LineWalk walk = LineWalk.along(root, words);
        if (walk.spec().userObject() instanceof PassesCommand) {
            return passed(words, walk);
        }
        if (walk.arguments() == 0 && walk.spec().userObject() instanceof RelativePaths paths
                && paths.defaultsToDirectory() && !walk.given("--help")) {
            return alone(words, walk);
        }
        var resolved = new ArrayList<>(words);
        for (Value value : directory.isEmpty() ? List.<Value>of() : walk.values()) {
            RelativeWord how = RelativeWord.of(walk.spec(), value.argument(), value.index(), walk.arguments(),
                    walk::given);
            if (how.takes(value.text()) && !value.text().isEmpty()) {
                requireName(walk.spec(), value.text());
                resolved.set(value.word(), value.before() + RelativePath.in(directory.get(), value.text()));
            }
        }
        return resolved;
    }

    /** {@code job start cp a b}: the words behind are a line of their own. */
    private List<String> passed(List<String> words, LineWalk walk) {
        int first = words.size() - walk.arguments();
        var resolved = new ArrayList<>(words.subList(0, first));
        resolved.addAll(resolved(words.subList(first, words.size())));
        return resolved;
    }

    private List<String> alone(List<String> words, LineWalk walk) {
        var longer = new ArrayList<>(words);
        if (directory.isPresent()) {
            longer.add(directory.get().toString());
        } else if (walk.spec().name().equals("ls") && walk.onlyInherited()) {
            int at = longer.indexOf("ls");
            longer.set(at, "list");
            longer.add(at, "volume");
        }
        return longer;
    }

    private static void requireName(CommandSpec command, String word) {
        boolean dots = word.matches("(.*/)?\\.\\.?/*");
        if (dots && command.userObject() instanceof RelativePaths paths && !paths.takesDots()) {
            throw CommandFailure.usage("%s does not take '%s': name the directory".formatted(command.name(), word))
                    .hint("pwd");
        }
    }
}
