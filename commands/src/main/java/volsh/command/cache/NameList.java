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

/** Names from a stream, one a line, as they come: whoever takes them never waits. A thread of its own waits for the stream. */
final class NameList {
    private static final int READ_AHEAD = 4096;

    private final BlockingQueue<String> names = new ArrayBlockingQueue<>(READ_AHEAD);
    private volatile IOException failure;
    private volatile boolean open;
    private volatile boolean ended;

    /** Opens a stream, which may take as long as a FIFO's writer takes to come. */
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

    /** False while the stream is still being opened: a FIFO's until somebody writes to it. */
    boolean isOpen() {
        return open;
    }

    /** What has come, at most so many. */
    List<String> take(int most) {
        var taken = new ArrayList<String>();
        names.drainTo(taken, most);
        return taken;
    }

    /** Is the list over, and all of it taken? @throws IOException if it could not be read */
    boolean isEmpty() throws IOException {
        if (failure != null) {
            throw failure;
        }
        return ended && names.isEmpty();
    }
}
