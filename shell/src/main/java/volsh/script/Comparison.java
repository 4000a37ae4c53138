package volsh.script;

import java.util.OptionalInt;
import org.codehaus.groovy.runtime.ScriptBytecodeAdapter;
import org.codehaus.groovy.runtime.typehandling.DefaultTypeTransformation;
import volsh.command.pipe.Quantities;

/**
 * What {@code < <= > >= == != <=>} of scripts mean: a size, rate, duration, time or percentage compares with a number
 * and with text of its unit, everything else as in Groovy. {@link Comparisons} puts these calls in the place of the
 * signs.
 */
public final class Comparison {
    private Comparison() {}

    public static boolean less(Object a, Object b) {
        OptionalInt order = Quantities.order(a, b);
        return order.isPresent() ? order.getAsInt() < 0 : ScriptBytecodeAdapter.compareLessThan(a, b);
    }

    public static boolean lessOrSame(Object a, Object b) {
        OptionalInt order = Quantities.order(a, b);
        return order.isPresent() ? order.getAsInt() <= 0 : ScriptBytecodeAdapter.compareLessThanEqual(a, b);
    }

    public static boolean more(Object a, Object b) {
        OptionalInt order = Quantities.order(a, b);
        return order.isPresent() ? order.getAsInt() > 0 : ScriptBytecodeAdapter.compareGreaterThan(a, b);
    }

    public static boolean moreOrSame(Object a, Object b) {
        OptionalInt order = Quantities.order(a, b);
        return order.isPresent() ? order.getAsInt() >= 0 : ScriptBytecodeAdapter.compareGreaterThanEqual(a, b);
    }

    /** Text that is no quantity is another value, not a mistake. */
    public static boolean same(Object a, Object b) {
        try {
            OptionalInt order = Quantities.order(a, b);
            return order.isPresent() ? order.getAsInt() == 0 : DefaultTypeTransformation.compareEqual(a, b);
        } catch (IllegalArgumentException differs) {
            return false;
        }
    }

    public static boolean other(Object a, Object b) {
        return !same(a, b);
    }

    public static Integer order(Object a, Object b) {
        OptionalInt order = Quantities.order(a, b);
        return order.isPresent() ? Integer.valueOf(order.getAsInt()) : ScriptBytecodeAdapter.compareTo(a, b);
    }
}
