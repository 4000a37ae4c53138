package volsh.upkeep;

import java.io.IOException;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.inventory.Row;

/** The rows of one kind, by the number at the start of their keys. Unreadable rows are passed to a handler. */
public final class Group {
    private final Cursor cursor;
    private final Consumer<Row.Unreadable> unreadable;
    private @Nullable Row head;

    public Group(MetaEngine engine, char kind, Watcher watcher, Consumer<Row.Unreadable> unreadable) {
        this.cursor = Cursor.of(engine, kind, watcher);
        this.unreadable = unreadable;
    }

    private @Nullable Row peek() throws IOException {
        while (head == null && cursor.peek() != null) {
            var row = Row.of(cursor.next());
            if (row instanceof Row.Unreadable broken) {
                unreadable.accept(broken);
            } else {
                head = row;
            }
        }
        return head;
    }

    public boolean hasMore() throws IOException {
        return peek() != null;
    }

    /** The number of the next row. */
    public long number() throws IOException {
        return number(Objects.requireNonNull(peek()).entry().key());
    }

    private static long number(MetaKey key) {
        return java.nio.ByteBuffer.wrap(key.bytes()).getLong(1);
    }

    /** The next row of this number; null if there is none. */
    public @Nullable Row next(long number) throws IOException {
        if (peek() == null || number() != number) {
            return null;
        }
        var row = head;
        head = null;
        return row;
    }
}
