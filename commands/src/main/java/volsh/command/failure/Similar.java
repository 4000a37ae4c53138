package volsh.command.failure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Finds words that resemble a mistyped one. */
public final class Similar {
    private Similar() {}

    /**
     * The candidates nearest to {@code word}, and those hardly farther, nearest first, at most three; none when all are
     * too different: of a short word one letter may be wrong, of one with two letters only their order or how often one
     * is there. The shorter of the two words counts.
     */
    public static List<String> to(String word, Collection<String> candidates) {
        int allowed = allowed(word.length());
        var near = new ArrayList<String>();
        for (int distance = 0; distance <= allowed; distance++) {
            for (String candidate : candidates) {
                if (distance(word, candidate) == distance && isNear(word, candidate, distance)
                        && !near.contains(candidate)) {
                    near.add(candidate);
                    allowed = Math.min(allowed, distance + 1);
                }
            }
        }
        return near.subList(0, Math.min(3, near.size()));
    }

    private static int allowed(int length) {
        return length < 4 ? 1 : length < 7 ? 2 : 3;
    }

    private static boolean isNear(String word, String candidate, int distance) {
        int shorter = Math.min(word.length(), candidate.length());
        return distance == 0 || distance <= allowed(shorter) && (shorter > 2 || isSwapped(word, candidate)
                || isRepeated(word, candidate));
    }

    private static boolean isSwapped(String word, String candidate) {
        return word.length() == candidate.length() && word.equals(new StringBuilder(candidate).reverse().toString());
    }

    /** {@code lss} for {@code ls}. */
    private static boolean isRepeated(String word, String candidate) {
        return once(word).equals(once(candidate));
    }

    private static String once(String word) {
        return word.replaceAll("(.)\\1", "$1");
    }

    /** Letters to add, drop, change or swap with the next one (optimal string alignment). */
    static int distance(String a, String b) {
        int[] beforeLast = new int[b.length() + 1];
        int[] last = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            var row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, Math.min(last[j], row[j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
            beforeLast = last;
            last = row;
        }
        return last[b.length()];
    }
}
