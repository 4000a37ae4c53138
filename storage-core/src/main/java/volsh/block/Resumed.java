package volsh.block;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockStore.Listed;

/** A listing that resumes where it failed: it is opened again, and entries already returned are skipped. */
final class Resumed implements Iterator<Listed> {
    private final Opening opening;
    private final Repeating repeating;
    private @Nullable Stream<Listed> open;
    private @Nullable Iterator<Listed> rest;
    private @Nullable BlockKey last;
    private Optional<Listed> next = Optional.empty();

    /** Opens the listing, again each time. */
    interface Opening {
        Stream<Listed> open() throws IOException;
    }

    /** Makes a call, and retries it. */
    interface Repeating {
        <R> R repeat(Call<R> call) throws IOException;
    }

    Resumed(Opening opening, Repeating repeating) {
        this.opening = opening;
        this.repeating = repeating;
    }

    Stream<Listed> stream() throws IOException {
        next = repeating.repeat(this::advance);
        Iterable<Listed> entries = () -> this;
        return StreamSupport.stream(entries.spliterator(), false).onClose(this::close);
    }

    @Override
    public boolean hasNext() {
        return next.isPresent();
    }

    @Override
    public Listed next() {
        Listed found = next.orElseThrow(NoSuchElementException::new);
        last = found.key();
        try {
            next = repeating.repeat(this::advance);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return found;
    }

    private Optional<Listed> advance() throws IOException {
        try {
            if (rest == null) {
                open = opening.open();
                rest = open.iterator();
            }
            while (rest.hasNext()) {
                Listed found = rest.next();
                if (last == null || found.key().compareTo(last) > 0) {
                    return Optional.of(found);
                }
            }
            return Optional.empty();
        } catch (UncheckedIOException broken) {
            close();
            throw broken.getCause();
        }
    }

    private void close() {
        if (open != null) {
            open.close();
        }
        open = null;
        rest = null;
    }
}
