package volsh.command.store;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import volsh.block.Ability;
import volsh.block.Ability.Answer;
import volsh.block.Ability.Kind;
import volsh.block.StoreUrl;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.fs.ShellWord;
import volsh.volume.Volumes;

/** Whether volsh can use the server of a bucket as the URL of the store says, and with which options it could. */
record ServerCheck(String name, StoreUrl url) {
    private static final String TIMEOUT = "timeout";
    private static final Map<String, String> FLAGS = Map.of("conditional-put=off", "--no-conditional-put",
            "checksum=md5", "--checksum md5");

    /** What decides about the options of a store, found out quickly: before it is added. */
    List<Ability> ask(Volumes volumes) throws IOException {
        var quick = url.option(TIMEOUT).isPresent() ? url : url.with(new TreeMap<>(Map.of(TIMEOUT, "3s")));
        return volumes.stores().abilities(quick, Set.of(Kind.CONDITIONAL_PUT, Kind.CHECKSUM));
    }

    /**
     * @param known whether the store was added already
     * @throws CommandFailure with the command that adds the store so that it works
     */
    void requireUsable(List<Ability> abilities, boolean known) {
        var missing = abilities.stream().filter(each -> each.remedy().filter(this::lacks).isPresent()).toList();
        if (missing.isEmpty()) {
            return;
        }
        var failure = CommandFailure.of(ExitCode.USAGE, "STO-0001", "the server of store '%s' lacks what volsh uses: %s"
                .formatted(name, missing.stream().map(each -> "%s (%s)".formatted(each.kind().words(), each.note()))
                        .collect(Collectors.joining(", "))));
        if (missing.stream().anyMatch(each -> each.kind() == Kind.CONDITIONAL_PUT)) {
            failure = failure.detail("without it, volumes are less protected against two hosts that attach them"
                    + " at the same time: docs/SERVERS.md");
        }
        if (known) {
            failure = failure.hint("volsh store remove " + name);
        }
        throw failure.hint("volsh store add %s %s %s".formatted(name, ShellWord.of(url.toString()), missing.stream()
                .map(each -> FLAGS.get(each.remedy().orElseThrow())).sorted().collect(Collectors.joining(" "))));
    }

    private boolean lacks(String remedy) {
        String[] option = remedy.split("=", 2);
        return !url.option(option[0]).equals(Optional.of(option[1]));
    }

    /** Options that weaken the store for nothing. */
    List<String> needless(List<Ability> abilities) {
        return abilities.stream().filter(each -> each.answer() == Answer.YES)
                .filter(each -> each.kind() == Kind.CONDITIONAL_PUT || each.kind() == Kind.CHECKSUM)
                .map(each -> each.kind() == Kind.CONDITIONAL_PUT ? "conditional-put=off" : "checksum=md5")
                .filter(each -> !lacks(each))
                .map(each -> String.valueOf(FLAGS.get(each))).sorted().toList();
    }
}
