package volsh.command.render;

import java.time.ZoneId;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One fact about a row: {@code name} as people know it ({@code used}), the value, what kind of quantity it is, and
 * whether only {@code -o wide} and the machine formats show it, and the style of its cells in tables.
 */
record Column<T>(String name, Form form, Function<? super T, ?> value, boolean wide,
        Function<? super T, Style> style) {
    Column(String name, Form form, Function<? super T, ?> value, boolean wide) {
        this(name, form, value, wide, row -> Style.PLAIN);
    }

    Style styled(T row) {
        return style.apply(row);
    }

    /** The stable name in machine formats, with the unit: {@code usedBytes}. */
    String field() {
        return form.field(name);
    }

    /** The heading of the table: {@code blockSize} is {@code BLOCK-SIZE}. */
    String heading() {
        var heading = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            heading.append(Character.isUpperCase(c) && i > 0 ? "-" : "").append(c);
        }
        return heading.toString().toUpperCase(Locale.ROOT);
    }

    String human(T row, Supplier<ZoneId> zone) {
        return Human.of(form.quantity(value.apply(row)), zone);
    }

    Object machine(T row) {
        return Machine.of(form.quantity(value.apply(row)));
    }

    boolean named(String wanted) {
        return wanted.equalsIgnoreCase(name) || wanted.equalsIgnoreCase(field()) || wanted.equalsIgnoreCase(heading());
    }
}
