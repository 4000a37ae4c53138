package volsh.dataset;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The classes of a dataset and their numbers: in the order of their names, or the names themselves where all of them
 * are whole numbers.
 */
public final class ClassMap {
    private static final int DIGITS_MAX = 9;

    private final Map<String, Integer> met = new HashMap<>();
    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> numbers = new LinkedHashMap<>();

    /** A number for the class until all are known; -1 for an empty name. */
    int number(String name) {
        if (name.isEmpty()) {
            return -1;
        }
        return met.computeIfAbsent(name, added -> {
            names.add(added);
            return names.size() - 1;
        });
    }

    /** The final numbers, by those of {@link #number}. */
    int[] sorted() {
        boolean asTheyAre = names.stream().allMatch(ClassMap::isNumber);
        var sorted = names.stream().sorted().toList();
        for (int i = 0; i < sorted.size(); i++) {
            numbers.put(sorted.get(i), asTheyAre ? Integer.parseInt(sorted.get(i)) : i);
        }
        return names.stream().mapToInt(numbers::get).toArray();
    }

    private static boolean isNumber(String name) {
        return name.length() <= DIGITS_MAX && name.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /** The number of each class, by name; empty if the samples have no classes. */
    public Map<String, Integer> numbers() {
        return numbers;
    }
}
