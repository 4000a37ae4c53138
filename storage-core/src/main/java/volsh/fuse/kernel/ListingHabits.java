package volsh.fuse.kernel;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Learns which programs do not use the attributes of the files they list, as find: finding these attributes, and having
 * the kernel remember them, is most of the cost of a listing. After a program has listed some directories, one is
 * listed without attributes; until the program then looks up a file, the next ones are, too. This is only about speed:
 * what a listing leaves out is looked up.
 */
final class ListingHabits {
    /** Directories that a program lists with attributes before one is listed without. */
    static final int FIRST = 3;
    /** The same once it has looked up a file after such a listing. */
    static final int AGAIN = 64;
    private static final int PROGRAMS_MAX = 64;

    private final Map<Integer, Habit> habits = new LinkedHashMap<>(PROGRAMS_MAX, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Habit> eldest) {
            return size() > PROGRAMS_MAX;
        }
    };
    private volatile boolean anyBare;

    /** {@code left}: how many directories are listed with attributes from now on. */
    private static final class Habit {
        private int left = FIRST;
    }

    /** Whether the entries of a listing need attributes; it begins with this request or goes on. */
    boolean wantsAttributes(int program, boolean begins) {
        synchronized (habits) {
            var habit = habits.computeIfAbsent(program, first -> new Habit());
            if (begins && habit.left >= 0) {
                habit.left--;
            }
            boolean bare = habit.left < 0;
            anyBare |= bare;
            return !bare;
        }
    }

    /** A program asks for the attributes of a file that is no directory: every walk needs those of directories. */
    void lookedUp(int program) {
        if (!anyBare) {
            return;
        }
        synchronized (habits) {
            var habit = habits.get(program);
            if (habit != null && habit.left < 0) {
                habit.left = AGAIN;
            }
            anyBare = habits.values().stream().anyMatch(each -> each.left < 0);
        }
    }
}
