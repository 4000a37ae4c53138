package volsh.command.complete;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Finds words by a few of their letters. Words with the typed prefix match; only if there are none, words match that
 * have a part with this prefix ({@code data} and {@code td} find {@code training-data}), that contain it, or that
 * contain
 * its letters in this order. Case matters only if capitals are typed.
 *
 * <p>In {@code VOLUME:/directory/name}, {@code --option=value} and {@code a,b} only the last piece is matched this way;
 * the rest must match exactly.
 */
public final class Match {
    private static final int NONE = Integer.MAX_VALUE;
    private static final int PART = 1_000;
    private static final int INSIDE = 2_000;
    private static final int SCATTERED = 3_000;
    private static final int FURTHEST = 999;

    private Match() {}

    /** What {@code typed} may mean, the best first; equally good ones keep their order. */
    public static List<Candidate> best(List<Candidate> candidates, String typed) {
        List<Candidate> beginning = beginning(candidates, typed);
        if (!beginning.isEmpty()) {
            return beginning;
        }
        var scored = new ArrayList<Scored>();
        for (Candidate candidate : candidates) {
            int distance = distance(typed, candidate.word());
            if (distance != NONE) {
                scored.add(new Scored(candidate, distance));
            }
        }
        scored.sort(Comparator.comparingInt(Scored::distance));
        return scored.stream().map(Scored::candidate).toList();
    }

    /** Those that begin with what is typed. */
    public static List<Candidate> beginning(List<Candidate> candidates, String typed) {
        return candidates.stream().filter(candidate -> candidate.word().startsWith(typed)).toList();
    }

    private record Scored(Candidate candidate, int distance) {}

    /** How far the word is from what is typed: 0 if it begins so, {@link #NONE} if it is something else. */
    private static int distance(String typed, String word) {
        int cut = lastPiece(typed);
        if (!word.startsWith(typed.substring(0, cut))) {
            return NONE;
        }
        String wanted = typed.substring(cut);
        boolean exact = !wanted.equals(wanted.toLowerCase(Locale.ROOT));
        String rest = word.substring(cut);
        String plain = exact ? rest : rest.toLowerCase(Locale.ROOT);
        if (plain.startsWith(wanted)) {
            return 0;
        }
        int part = part(wanted, plain, rest);
        return part >= 0 ? PART + part : inside(wanted, plain);
    }

    private static int lastPiece(String typed) {
        int end = typed.length();
        while (end > 0 && "/:=,".indexOf(typed.charAt(end - 1)) < 0) {
            end--;
        }
        return end;
    }

    /** Where a part of the word begins with what is wanted, or 0 if its letters are first letters of parts; else -1. */
    private static int part(String wanted, String plain, String word) {
        var initials = new StringBuilder();
        for (int i = 0; i < word.length(); i++) {
            if (begins(word, i)) {
                if (plain.startsWith(wanted, i)) {
                    return Math.min(i, FURTHEST);
                }
                initials.append(plain.charAt(i));
            }
        }
        return wanted.length() > 1 && span(wanted, initials.toString()) >= 0 ? 0 : -1;
    }

    private static boolean begins(String word, int at) {
        char c = word.charAt(at);
        if (!Character.isLetterOrDigit(c)) {
            return false;
        }
        return at == 0 || !Character.isLetterOrDigit(word.charAt(at - 1))
                || Character.isUpperCase(c) && Character.isLowerCase(word.charAt(at - 1));
    }

    private static int inside(String wanted, String plain) {
        int at = plain.indexOf(wanted);
        if (at >= 0) {
            return INSIDE + Math.min(at, FURTHEST);
        }
        int span = span(wanted, plain);
        return span < 0 ? NONE : SCATTERED + Math.min(span, FURTHEST);
    }

    /**
     * How many letters lie from the first to the last of those wanted, found in their order; -1 if they are not there.
     */
    private static int span(String wanted, String plain) {
        int from = -1;
        int at = -1;
        for (int i = 0; i < wanted.length(); i++) {
            at = plain.indexOf(wanted.charAt(i), at + 1);
            if (at < 0) {
                return -1;
            }
            from = i == 0 ? at : from;
        }
        return at - from;
    }

    /** The longest beginning that all words share. */
    public static String common(List<Candidate> candidates) {
        String common = candidates.isEmpty() ? "" : candidates.getFirst().word();
        for (Candidate candidate : candidates) {
            int length = 0;
            int most = Math.min(common.length(), candidate.word().length());
            while (length < most && common.charAt(length) == candidate.word().charAt(length)) {
                length++;
            }
            boolean half = length > 0 && Character.isHighSurrogate(common.charAt(length - 1));
            length -= half ? 1 : 0;
            common = common.substring(0, length);
        }
        return common;
    }
}
