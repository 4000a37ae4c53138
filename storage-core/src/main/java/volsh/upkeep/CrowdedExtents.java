package volsh.upkeep;

import java.io.IOException;
import volsh.engine.MetaEngine;
import volsh.inventory.Row;

/** Finds the parts of files that have many extents where few would do: one pass over all extents, a page at a time. */
public final class CrowdedExtents {
    private final MetaEngine engine;
    private final long span;
    private final int most;

    /** Finds parts of {@code span} bytes in which {@code most} or more extents begin where another ends. */
    public CrowdedExtents(MetaEngine engine, long span, int most) {
        this.engine = engine;
        this.span = span;
        this.most = most;
    }

    /** Receives the parts. */
    public interface Listener {
        void found(long ino, long start, long bytes) throws IOException;
    }

    public void run(Listener listener, Watcher watcher) throws IOException {
        var rows = Cursor.of(engine, 'X', watcher);
        long ino = -1;
        long part = -1;
        long end = -1;
        int joints = 0;
        long bytes = 0;
        while (true) {
            var row = rows.peek() == null ? null : Row.of(rows.next());
            if (row != null && !(row instanceof Row.Run)) {
                continue;
            }
            var run = (Row.Run) row;
            boolean same = run != null && run.ino() == ino && run.start() / span == part;
            if (!same && joints >= most) {
                listener.found(ino, part * span, bytes);
            }
            if (run == null) {
                return;
            }
            joints = same ? joints + (run.start() == end ? 1 : 0) : 0;
            bytes = same ? bytes + run.length() : run.length();
            ino = run.ino();
            part = run.start() / span;
            end = run.end();
        }
    }
}
