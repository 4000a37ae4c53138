package volsh.command.cache;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Names from a stream, one per line, as they arrive. A thread of its own reads the stream, so that taking names never
 * blocks.
 */
final class NameList {
    private static final int READ_AHEAD = 4096;

    private final BlockingQueue<String> names = new ArrayBlockingQueue<>(READ_AHEAD);
    private volatile @Nullable IOException failure;
    private volatile boolean open;
    private volatile boolean ended;

    /** Opens a stream; a FIFO blocks until a writer opens it. */
    interface Source {
        InputStream open() throws IOException;
    }

    NameList(Source source) {
        Thread.ofPlatform().daemon().name("names").start(() -> read(source));
    }

    private void read(Source source) {
        try (var lines = new BufferedReader(new InputStreamReader(opened(source), StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isBlank()) {
                    names.put(line);
                }
            }
        } catch (IOException failed) {
            failure = failed;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            ended = true;
        }
    }

    private InputStream opened(Source source) throws IOException {
        var stream = source.open();
        open = true;
        return stream;
    }

    /** False until the stream is open: a FIFO blocks until a program opens it for writing. */
    boolean isOpen() {
        return open;
    }

    /** The names that have arrived, at most this many. */
    List<String> take(int most) {
        var taken = new ArrayList<String>();
        names.drainTo(taken, most);
        return taken;
    }

    /** Whether the list has ended and all names are taken. @throws IOException if it could not be read */
    boolean isEmpty() throws IOException {
        if (failure != null) {
            throw failure;
        }
        return ended && names.isEmpty();
    }
}
