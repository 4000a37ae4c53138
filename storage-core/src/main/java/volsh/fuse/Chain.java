package volsh.fuse;

import java.util.List;
import java.util.Set;
import volsh.meta.Way;

/** A directory and its ancestors as far as the kernel may have walked through its cache, and along which paths. */
public record Chain(Set<Long> directories, List<Way> ways) {
    public Chain {
        directories = Set.copyOf(directories);
        ways = List.copyOf(ways);
    }
}
