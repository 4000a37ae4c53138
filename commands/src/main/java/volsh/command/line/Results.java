package volsh.command.line;

import java.util.ArrayDeque;
import java.util.Deque;

/** What the last lines answered, the newest first, under the names code knows them by. */
final class Results {
    private static final int KEPT = 10;

    private final Deque<Object> values = new ArrayDeque<>();
    private int exit;
    private boolean any;

    void add(Object value) {
        values.addFirst(value);
        if (values.size() > KEPT) {
            values.removeLast();
        }
    }

    void exit(int status) {
        exit = status;
        any = true;
    }

    /** Whether code may call a result so. */
    static boolean isName(String name) {
        return name.matches("_([1-9]|exit)?");
    }

    /** {@code _} is the last one, {@code _1} to {@code _9} are those before. */
    void tell(Language language) {
        int age = 0;
        for (Object value : values) {
            language.set(age == 0 ? "_" : "_" + age, value);
            age++;
        }
        if (any) {
            language.set("_exit", exit);
        }
    }
}
