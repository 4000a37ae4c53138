package volsh.volume;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import volsh.place.Policy;

/**
 * Over which stores a volume is spread, and how. Stores are numbered from 1 by their place in the list, for ever: one that was drained and
 * taken out leaves a {@link #VACANT} place. A volume with one store that was never asked about layouts has none of this.
 *
 * @param stores  the first is where marks and shipped metadata are
 * @param policy  what files get whose directories say nothing
 * @param leaving stores that take no new blocks
 */
public record Spread(List<String> stores, Optional<Policy> policy, Set<String> leaving) {
    public static final Spread NONE = new Spread(List.of(), Optional.empty(), Set.of());

    static final String VACANT = "-";
    private static final int STORES_MAX = 256;

    public Spread {
        stores = List.copyOf(stores);
        leaving = Set.copyOf(leaving);
        var named = stores.stream().filter(name -> !name.equals(VACANT)).toList();
        named.forEach(name -> VolumeSpec.requireName("store", name));
        if (new HashSet<>(named).size() < named.size()) {
            throw new IllegalArgumentException("a store can be in a volume once: " + String.join(",", stores));
        }
        if (stores.size() > STORES_MAX) {
            throw new IllegalArgumentException("a volume has at most %d stores".formatted(STORES_MAX));
        }
    }

    /** Over these stores, however that may be: whoever makes a volume of it decides. */
    public static Spread of(List<String> stores) {
        return new Spread(stores, Optional.empty(), Set.of());
    }

    /** Over these stores, with this policy. */
    public static Spread of(List<String> stores, Policy policy) {
        return new Spread(stores, Optional.of(policy), Set.of());
    }

    /** The same for a new volume: without vacant places and stores that leave. */
    Spread afresh() {
        return new Spread(stores.stream().filter(store -> !store.equals(VACANT) && !leaving.contains(store)).toList(), policy, Set.of());
    }

    public boolean isNone() {
        return stores.isEmpty();
    }

    Spread with(Policy other) {
        return new Spread(stores, Optional.of(other), leaving);
    }

    /** With one more store. */
    Spread and(String store) {
        var more = new ArrayList<>(stores);
        more.add(store);
        return new Spread(more, policy, leaving);
    }

    /** With a store that takes no new blocks any more, or does so again. */
    Spread leaving(String store, boolean leaves) {
        var changed = new TreeSet<>(leaving);
        if (leaves) {
            changed.add(store);
        } else {
            changed.remove(store);
        }
        return new Spread(stores, policy, changed);
    }

    /** Without a store, whose number stays vacant. */
    Spread without(String store) {
        return new Spread(stores.stream().map(each -> each.equals(store) ? VACANT : each).toList(), policy, leaving).leaving(store, false);
    }

    /** With another name for the first store: what it is called differs between machines. */
    Spread first(String store) {
        return isNone() ? this : named(1, store);
    }

    /** With another name for a store. */
    Spread named(int number, String store) {
        var changed = new ArrayList<>(stores);
        String before = changed.set(number - 1, store);
        var left = leaving.stream().map(each -> each.equals(before) ? store : each).collect(Collectors.toSet());
        return new Spread(changed, policy, left);
    }

    static List<String> split(String text) {
        return text.isEmpty() ? List.of() : Arrays.asList(text.split(","));
    }
}
