package volsh.command.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

/** Rows that are computed while they are printed; their volumes stay open until then. */
final class Pulled<T> implements Iterator<T> {
    private final Source<T> source;
    private final Cancellation cancellation;
    private @Nullable T next;

    /** Gives the next row; null at the end. */
    interface Source<T> {
        @Nullable T next() throws IOException;
    }

    /** Creates a source when the volumes are open. */
    interface Opening<T> {
        Source<T> open() throws Exception;
    }

    private Pulled(Source<T> source, Cancellation cancellation) {
        this.source = source;
        this.cancellation = cancellation;
    }

    /** Rows of the source; closing them closes the volumes, and so does a failure to create the source. */
    static <T> Rows<T> rows(Session session, AutoCloseable volumes, Columns<T> columns, Opening<T> opening)
            throws Exception {
        try {
            var rows = new Pulled<>(opening.open(), session.cancellation());
            var stream = StreamSupport.stream(Spliterators.spliteratorUnknownSize(rows, Spliterator.ORDERED), false);
            return Rows.lazy(columns, stream.onClose(() -> close(volumes)));
        } catch (Exception failed) {
            volumes.close();
            throw failed;
        }
    }

    private static void close(AutoCloseable volumes) {
        try {
            volumes.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Override
    public boolean hasNext() {
        cancellation.check();
        if (next == null) {
            try {
                next = source.next();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        return next != null;
    }

    @Override
    public T next() {
        boolean more = hasNext();
        var row = next;
        if (!more || row == null) {
            throw new NoSuchElementException();
        }
        next = null;
        return row;
    }
}
