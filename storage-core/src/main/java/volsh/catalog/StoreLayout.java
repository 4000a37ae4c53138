package volsh.catalog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import volsh.place.LayoutPolicy;

/**
 * The stores over which a volume is spread, and how. Stores are numbered from 1 by their place in the list, and keep
 * their numbers: a store that was drained and taken out leaves a {@link #VACANT} place. A volume with one store and no
 * layout has none of this.
 *
 * @param stores  the first one has the marks and the shipped metadata
 * @param policy  the layout of files whose directories have none of their own
 * @param leaving stores that take no new blocks
 */
public record StoreLayout(List<String> stores, Optional<LayoutPolicy> policy, Set<String> leaving) {
    public static final StoreLayout NONE = new StoreLayout(List.of(), Optional.empty(), Set.of());

    public static final String VACANT = "-";
    private static final int STORES_MAX = 256;

    public StoreLayout {
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

    /** Over these stores, in a layout that the creation of the volume decides. */
    public static StoreLayout of(List<String> stores) {
        return new StoreLayout(stores, Optional.empty(), Set.of());
    }

    /** Over these stores, with this policy. */
    public static StoreLayout of(List<String> stores, LayoutPolicy policy) {
        return new StoreLayout(stores, Optional.of(policy), Set.of());
    }

    /** The same for a new volume: without vacant places and stores that leave. */
    public StoreLayout afresh() {
        return new StoreLayout(stores.stream().filter(store -> !store.equals(VACANT) && !leaving.contains(store))
                .toList(), policy, Set.of());
    }

    public boolean isNone() {
        return stores.isEmpty();
    }

    public StoreLayout with(LayoutPolicy other) {
        return new StoreLayout(stores, Optional.of(other), leaving);
    }

    /** With one more store. */
    public StoreLayout and(String store) {
        var more = new ArrayList<>(stores);
        more.add(store);
        return new StoreLayout(more, policy, leaving);
    }

    /** With a store that takes no new blocks any more, or does so again. */
    public StoreLayout leaving(String store, boolean leaves) {
        var changed = new TreeSet<>(leaving);
        if (leaves) {
            changed.add(store);
        } else {
            changed.remove(store);
        }
        return new StoreLayout(stores, policy, changed);
    }

    /** Without a store, whose number stays vacant. */
    public StoreLayout without(String store) {
        return new StoreLayout(stores.stream().map(each -> each.equals(store) ? VACANT : each).toList(), policy,
                leaving).leaving(store, false);
    }

    /** With another name for the first store: what it is called differs between machines. */
    StoreLayout first(String store) {
        return isNone() ? this : named(1, store);
    }

    /** With another name for a store. */
    StoreLayout named(int number, String store) {
        var changed = new ArrayList<>(stores);
        String before = changed.set(number - 1, store);
        var left = leaving.stream().map(each -> each.equals(before) ? store : each).collect(Collectors.toSet());
        return new StoreLayout(changed, policy, left);
    }

    static List<String> split(String text) {
        return text.isEmpty() ? List.of() : Arrays.asList(text.split(","));
    }
}
