package volsh.fuse.kernel;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.fuse.ProcessorAffinity;

/**
 * Keeps a thread on the processor of the program that it serves. A program that asks and waits, and a thread that
 * answers and waits, need one processor between them: handing over there is several times cheaper than waking the other
 * processor for each request and for each answer. Used by that thread alone.
 *
 * <p>Threads that are started meanwhile inherit the processor. They are found and released every {@value #AGAIN}
 * requests, and once more at the end.
 */
final class ClientFollower implements AutoCloseable {
    /** After this many requests it looks where the program runs now. */
    static final int AGAIN = 64;
    private static final int PROCESSOR = 37;   // field 39 of /proc/TID/stat: this many fields after the name
    private static final File THREADS = new File("/proc/self/task");

    private final ProcessorAffinity affinity;
    private final byte[] line = new byte[1024];
    private Set<String> others = Set.of();   // threads from before it followed
    private int client;
    private int served;
    private int processor = -1;   // that this thread is kept on; -1 for none
    private @Nullable RandomAccessFile status;   // of the client; null if there is none

    ClientFollower(ProcessorAffinity affinity) {
        this.affinity = affinity;
    }

    /**
     * Called after each request, of this thread of a program; 0 if unknown, such as the kernel's own. False if this
     * thread may not run where that one does.
     */
    boolean follow(int thread) {
        if (thread == 0 || thread == client && ++served % AGAIN != 0) {
            return true;
        }
        try {
            return moveTo(processorOf(thread));
        } catch (IOException gone) {
            return true;   // it asks for nothing more
        }
    }

    private boolean moveTo(int next) {
        if (next == processor) {
            releaseHeirs();
            return true;
        }
        if (processor < 0) {
            others = threads();
        }
        if (!affinity.pin(next)) {
            return false;
        }
        processor = next;
        releaseHeirs();
        return true;
    }

    private int processorOf(int thread) throws IOException {
        var file = status;
        if (thread != client || file == null) {
            closeStatus();
            file = new RandomAccessFile("/proc/%d/stat".formatted(thread), "r");
            status = file;
            client = thread;
            served = 0;
        }
        file.seek(0);
        int length = Math.max(0, file.read(line));
        return processor(new String(line, 0, length, StandardCharsets.ISO_8859_1));
    }

    /** The processor in a line of /proc/TID/stat. @throws FileNotFoundException if it is none */
    static int processor(String stat) throws FileNotFoundException {
        int name = stat.lastIndexOf(')');   // which may contain anything
        var fields = name < 0 ? new String[0] : stat.substring(name + 1).strip().split(" ");
        if (fields.length <= PROCESSOR - 1) {
            throw new FileNotFoundException("the thread is gone");
        }
        return Integer.parseInt(fields[PROCESSOR - 1]);
    }

    private static Set<String> threads() {
        var names = THREADS.list();
        return names == null ? Set.of() : Set.of(names);
    }

    private void releaseHeirs() {
        var now = new HashSet<>(threads());
        now.removeAll(others);
        now.forEach(thread -> affinity.restore(Integer.parseInt(thread)));
        others = threads();
    }

    /**
     * Lets this thread, and those that were started meanwhile, run anywhere again. It goes to another processor than
     * the program's first: left to itself it would stay, and poll there while the program waits for the processor.
     */
    void release() {
        if (processor >= 0) {
            affinity.leave(processor);
            processor = -1;
            affinity.restore(0);
            releaseHeirs();
        }
        client = 0;
    }

    private void closeStatus() throws IOException {
        var file = status;
        status = null;
        if (file != null) {
            file.close();
        }
    }

    @Override
    public void close() {
        release();
        try {
            closeStatus();
        } catch (IOException harmless) {
            // it was only read
        }
    }
}
