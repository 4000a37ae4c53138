package volsh.command.run;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import volsh.command.Services;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.Problem;
import volsh.command.failure.Similar;
import volsh.volume.Volumes;

/**
 * The line that was probably meant, to be pasted: with the name, path, column or value that the message calls wrong
 * replaced by the only one that it suggests. Lines that remove something are not corrected: what they would remove is
 * for the user to say.
 */
final class Correction {
    private static final Set<String> REMOVING = Set.of("destroy", "rm", "remove", "mv", "evict", "revoke", "prune",
            "purge", "restore", "sync", "umount", "unmount", "gc", "drain", "discard", "cancel", "stop", "delete");
    private static final Pattern QUOTED = Pattern.compile("'([^']+)'");
    private static final Pattern NAMED = Pattern.compile("^(.+?): (?:no such|is a |not a )");
    private static final Pattern MEANT = Pattern.compile("did you mean '?([^'? ]+)'? ?\\?");
    /** What is to be added to a name, behind a sign; other examples are not what was meant. */
    private static final Pattern TRY = Pattern.compile("'([^']+)' ?[^'()]*\\(try (\\1[:@][^ ,)]*)\\)$");
    private static final Pattern AMONG = Pattern.compile("'([^']+)' is not one of ([^()]+)$");

    private static final Pattern ADD = Pattern.compile("add ((?!-y$|--confirm )-\\S+(?: \\./\\S+)?)(?: to .*)?");

    private Correction() {}

    /** The failure with the line that was meant as its first hint; the same one if that is not known. */
    static Throwable of(Throwable failure, List<String> words, CommandTree tree, Services services) {
        var problem = Diagnosis.of(failure);
        var line = line(problem, words, tree, services);
        var better = line.isPresent() ? problem.withFirstHint("did you mean: " + line.get())
                : problem.pasted(hint -> added(hint, words));
        if (better.equals(problem)) {
            return failure;
        }
        var corrected = CommandFailure.of(better).causedBy(failure.getCause());
        corrected.addSuppressed(failure);   // for --debug
        return corrected;
    }

    /** A hint to add an option becomes the whole line; but what is confirmed is not to be pasted. */
    private static String added(String hint, List<String> words) {
        var option = ADD.matcher(hint);
        return option.matches() && !words.contains("--") ? "volsh %s %s".formatted(WrongLine.line(words),
                option.group(1)) : hint;
    }

    private static Optional<String> line(Problem problem, List<String> words, CommandTree tree, Services services) {
        if (words.stream().limit(2).anyMatch(REMOVING::contains)
                || problem.hints().stream().anyMatch(hint -> hint.startsWith("did you mean: "))) {
            return Optional.empty();
        }
        var meant = meant(problem).filter(text -> !text.endsWith(":/") || isVolume(text, services));
        var lines = new ArrayList<List<String>>();
        for (String wrong : meant.isEmpty() ? List.<String>of() : wrong(problem.message())) {
            var changed = replaced(words, wrong, meant.get());
            if (!changed.equals(words)) {
                lines.add(changed);
            }
        }
        var wrongLine = new WrongLine(tree, words);
        return lines.stream().filter(wrongLine::isUnderstood).findFirst().map(WrongLine::line).map("volsh "::concat);
    }

    /** A local name is not made one of a volume that does not exist. */
    private static boolean isVolume(String root, Services services) {
        try {
            var volumes = services.find(Volumes.class);
            return volumes.isPresent() && volumes.get().names().contains(root.substring(0, root.length() - 2));
        } catch (IOException unreadable) {
            return false;
        }
    }

    /** The only thing that is suggested. */
    private static Optional<String> meant(Problem problem) {
        Matcher among = AMONG.matcher(problem.message());
        var found = among.find() ? Similar.to(among.group(1), List.of(among.group(2).split(", ")))
                : Stream.concat(Stream.of(problem.message()), problem.details().stream())
                        .flatMap(text -> Stream.concat(MEANT.matcher(text).results(), TRY.matcher(text).results()))
                        .map(result -> result.group(result.groupCount())).toList();
        return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
    }

    /** What the message is about, the likeliest first. */
    private static List<String> wrong(String message) {
        var all = new ArrayList<>(QUOTED.matcher(message).results().map(result -> result.group(1)).toList().reversed());
        NAMED.matcher(message).results().forEach(result -> all.add(result.group(1)));
        return all;
    }

    /** In the only word that has it, as a whole or as a part between signs. */
    private static List<String> replaced(List<String> words, String wrong, String meant) {
        var whole = Pattern.compile("(?<=^-?|[=,:@ ])%s(?:(?=$|[:@/=,])|(?<=/))".formatted(Pattern.quote(wrong)));
        var changed = new ArrayList<String>();
        int times = 0;
        for (String word : words) {
            Matcher found = whole.matcher(word);
            boolean here = found.find();
            times += here ? 1 : 0;
            changed.add(here ? word.substring(0, found.start()) + meant + word.substring(found.end()) : word);
        }
        return times == 1 ? changed : words;
    }
}
