package volsh.command.complete;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Model.ArgSpec;
import volsh.catalog.VolumePath;
import volsh.command.RelativePath;
import volsh.command.RelativeWord;

/**
 * The path that is being typed as an argument: in full, or relative to the working directory. What follows it is not
 * known yet, so that it may still be the last argument or not.
 */
final class TypedPath {
    private final Optional<VolumePath> directory;
    private final RelativeWord last;
    private final RelativeWord inner;

    TypedPath(LineWalk walk, ArgSpec argument, Optional<VolumePath> directory) {
        this.directory = directory;
        int index = walk.arguments();
        this.last = RelativeWord.of(walk.spec(), argument, index, index + 1, walk::given);
        this.inner = RelativeWord.of(walk.spec(), argument, index, index + 2, walk::given);
    }

    private boolean isRelative(String typed) {
        return directory.isPresent() && (last.takes(typed) || inner.takes(typed));
    }

    /** Whether the typed word can be a local file. */
    boolean mayBeLocal(String typed) {
        return directory.isEmpty() || !last.takes(typed) || !inner.takes(typed);
    }

    /** The candidates as they are typed; {@code live} gives those in full that begin like a full path. */
    List<Candidate> candidates(String typed, Function<String, List<Candidate>> live) {
        if (!isRelative(typed)) {
            return live.apply(typed);
        }
        String folder = typed.substring(0, typed.lastIndexOf('/') + 1);
        String full = RelativePath.beginning(directory.orElseThrow(), folder);
        var candidates = new ArrayList<Candidate>();
        for (Candidate found : live.apply(full + typed.substring(folder.length()))) {
            if (found.word().startsWith(full)) {
                candidates.add(found.named(written(folder, found.word().substring(full.length()))));
            }
        }
        boolean perhapsVolume = !typed.isEmpty() && folder.isEmpty();
        candidates.addAll(perhapsVolume ? live.apply(typed) : List.of());
        return candidates;
    }

    /** A name that would be taken for something else gets {@code ./} in front. */
    private static String written(String folder, String name) {
        boolean plain = !folder.isEmpty() || RelativeWord.isRelative(name) && !name.startsWith("-")
                && !name.startsWith("~");
        return plain ? folder + name : "./" + name;
    }
}
