package volsh.upkeep;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import volsh.meta.Namespace;

/** The tree of directories, by their parent fields. */
public final class Directories {
    private final NumberTable parents;

    public Directories(NumberTable parents) {
        this.parents = parents;
    }

    boolean contains(long ino) {
        return parents.find(ino) >= 0;
    }

    /** One directory of every cycle: the one with the smallest number. */
    public List<Long> cycles() {
        var known = new BitSet();
        var found = new ArrayList<Long>();
        for (int start = 0; start < parents.size(); start++) {
            var trail = new ArrayList<Integer>();
            var mine = new HashSet<Integer>();
            int at = start;
            while (at >= 0 && !known.get(at) && parents.number(at) != Namespace.ROOT && !mine.contains(at)) {
                mine.add(at);
                trail.add(at);
                at = parents.find(parents.value(at));
            }
            if (at >= 0 && mine.contains(at)) {
                found.add(trail.subList(trail.indexOf(at), trail.size()).stream().map(parents::number)
                        .min(Long::compareUnsigned).orElseThrow());
            }
            trail.forEach(known::set);
        }
        return found;
    }

    /** Whether it is {@code top} or below it. */
    public boolean isBelow(long directory, long top) {
        long at = directory;
        for (int steps = 0; steps <= parents.size(); steps++) {
            if (at == top) {
                return true;
            }
            int index = parents.find(at);
            if (index < 0 || at == Namespace.ROOT) {
                return false;
            }
            at = parents.value(index);
        }
        return false;
    }
}
