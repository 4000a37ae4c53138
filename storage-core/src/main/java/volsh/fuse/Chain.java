package volsh.fuse;

import java.util.List;
import java.util.Set;
import volsh.meta.Way;

/** A directory and those above it as far as the kernel may have come through them without asking, and on which ways. */
public record Chain(Set<Long> directories, List<Way> ways) {
    public Chain {
        directories = Set.copyOf(directories);
        ways = List.copyOf(ways);
    }
}
