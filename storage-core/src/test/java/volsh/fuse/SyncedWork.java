package volsh.fuse;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import volsh.vfs.Posix;

/**
 * A program whose work only grows: a log that is appended to, files that are made once, and one that is replaced by
 * newer ones. Every step is synced before the next; so after power loss everything up to the last synced step must be
 * there, and more may. One thread each.
 */
final class SyncedWork implements Runnable {
    private static final int[] SIZES = {1, 100, 4096, 5000, 70_000, 300_000};

    private final Posix fs;
    private final int number;
    private volatile int synced;
    private volatile boolean stopping;

    SyncedWork(Posix fs, int number) {
        this.fs = fs;
        this.number = number;
    }

    @Override
    public void run() {
        try {
            while (!stopping) {
                step(synced + 1);
                synced++;
            }
        } catch (IOException | IllegalStateException gone) {
            // the mount was taken away
        }
    }

    private void step(int step) throws IOException {
        switch (step % 3) {
            case 0 -> write("/log-" + number, logLength(step - 3), piece(step));
            case 1 -> write(file(step), 0, piece(step));
            default -> {
                write("/new-" + number, 0, version(step));
                fs.rename("/new-" + number, "/latest-" + number);
                sync("/latest-" + number);
            }
        }
    }

    private void write(String path, long offset, byte[] bytes) throws IOException {
        int open = fs.open(path, Posix.READ_WRITE | Posix.CREATE, 0644);
        fs.pwrite(open, bytes, (int) offset);
        fs.fsync(open);
        fs.close(open);
    }

    private void sync(String path) throws IOException {
        int open = fs.open(path, Posix.READ_WRITE, 0);
        fs.fsync(open);
        fs.close(open);
    }

    private String file(int step) {
        return "/file-%d-%d".formatted(number, step);
    }

    private byte[] piece(int step) {
        var random = new Random(31L * step + number);
        byte[] bytes = new byte[SIZES[random.nextInt(SIZES.length)]];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Begins with its step. */
    private byte[] version(int step) {
        byte[] bytes = Arrays.copyOf(piece(step), 8 + piece(step).length);
        java.nio.ByteBuffer.wrap(bytes).putInt(step);
        return bytes;
    }

    /** How long the log is after this step. */
    private long logLength(int step) {
        long length = 0;
        for (int each = 3; each <= step; each += 3) {
            length += piece(each).length;
        }
        return length;
    }

    void stop() {
        stopping = true;
    }

    /** The last step that was synced. */
    int synced() {
        return synced;
    }

    /** What is not as it must be if everything up to {@code last} was synced: one line each. */
    List<String> wrongs(Posix now, int last) {
        var wrongs = new ArrayList<String>();
        for (int step = 1; step <= last; step += 3) {
            if (!Arrays.equals(load(now, file(step)), piece(step))) {
                wrongs.add("%s is not what was synced".formatted(file(step)));
            }
        }
        checkLog(load(now, "/log-" + number), last, wrongs);
        if (last >= 2) {
            checkLatest(load(now, "/latest-" + number), last, wrongs);
        }
        return wrongs;
    }

    private void checkLog(byte[] found, int last, List<String> wrongs) {
        int at = 0;
        for (int step = 3; step <= last; step += 3) {
            byte[] piece = piece(step);
            if (at + piece.length > found.length
                    || !Arrays.equals(found, at, at + piece.length, piece, 0, piece.length)) {
                wrongs.add("log-%d has %d bytes, and not the piece of step %d at %d"
                        .formatted(number, found.length, step, at));
                return;
            }
            at += piece.length;
        }
    }

    private void checkLatest(byte[] found, int last, List<String> wrongs) {
        int step = found.length < 8 ? 0 : java.nio.ByteBuffer.wrap(found).getInt();
        int least = last - Math.floorMod(last - 2, 3);
        if (step < least || !Arrays.equals(found, version(step))) {
            wrongs.add("latest-%d is of step %d, not of %d or later".formatted(number, step, least));
        }
    }

    private static byte[] load(Posix fs, String path) {
        try {
            return fs.load(path);
        } catch (IOException missing) {
            return new byte[0];
        }
    }
}
