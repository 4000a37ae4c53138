package volsh.fuse;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import volsh.vfs.Posix;

/**
 * A program that changes files without end and remembers what each must hold because its close or fsync returned. A
 * file with a change under way may hold the old or the new. One thread each.
 */
final class AcknowledgedFiles implements Runnable {
    private static final int FILES_MAX = 200;
    private static final int[] SIZES = {0, 1, 100, 4096, 5000, 20_000, 70_000, 256 << 10, 600_000};

    private final Posix fs;
    private final String prefix;
    private final Random random;
    private final Map<String, byte[]> acknowledged = new HashMap<>();
    private String underWay;
    private byte[] attempted;
    private long count;
    private volatile boolean stopping;

    AcknowledgedFiles(Posix fs, String prefix, long seed) {
        this.fs = fs;
        this.prefix = prefix;
        this.random = new Random(seed);
    }

    /** Works until told to stop, or until the file system is gone. */
    @Override
    public void run() {
        try {
            while (!stopping) {
                step();
            }
        } catch (IOException | IllegalStateException gone) {
            // killed
        }
    }

    private void step() throws IOException {
        var path = "/%s-%d".formatted(prefix, random.nextInt(FILES_MAX));
        byte[] old = acknowledged.get(path);
        underWay = path;
        switch (random.nextInt(5)) {
            case 0 -> renameOver(path);
            case 1 -> replaceWhole(path);
            case 2 -> copyOver(path);
            default -> changeOrReplace(path, old);
        }
        acknowledged.put(path, attempted);
        underWay = null;
        count++;
    }

    /** A file that nothing is known of may have been left by a change that a kill cut off. */
    private void changeOrReplace(String path, byte[] old) throws IOException {
        if (old == null) {
            replaceWhole(path);
        } else {
            change(path, old);
        }
    }

    private byte[] bytes() {
        byte[] bytes = new byte[SIZES[random.nextInt(SIZES.length)]];
        random.nextBytes(bytes);
        return bytes;
    }

    private void replaceWhole(String path) throws IOException {
        attempted = bytes();
        fs.save(path, attempted);
    }

    private void renameOver(String path) throws IOException {
        attempted = bytes();
        fs.save(path + ".new", attempted);
        fs.rename(path + ".new", path);
    }

    /** A copy of another file, which shares its blocks. */
    private void copyOver(String path) throws IOException {
        var source = "/%s-%d".formatted(prefix, random.nextInt(FILES_MAX));
        attempted = acknowledged.get(source);
        if (attempted == null) {
            renameOver(path);
            return;
        }
        int from = fs.open(source, Posix.READ, 0);
        int to = fs.open(path + ".new", Posix.READ_WRITE | Posix.CREATE | Posix.TRUNCATE, 0644);
        for (long done = 0; done < attempted.length; ) {
            long copied = fs.copyRange(from, done, to, done, attempted.length - done);
            if (copied == 0) {
                throw new AssertionError("%s is shorter than %d bytes".formatted(source, attempted.length));
            }
            done += copied;
        }
        fs.close(from);
        fs.close(to);
        fs.rename(path + ".new", path);
    }

    /** Writes into the file, or makes it longer; the fsync counts, and the file stays open for a while. */
    private void change(String path, byte[] old) throws IOException {
        int offset = random.nextInt(old.length + 1);
        byte[] piece = bytes();
        attempted = Arrays.copyOf(old, Math.max(old.length, offset + piece.length));
        System.arraycopy(piece, 0, attempted, offset, piece.length);
        int file = fs.open(path, Posix.READ_WRITE | Posix.CREATE, 0644);
        fs.pwrite(file, piece, offset);
        fs.fsync(file);
        acknowledged.put(path, attempted);
        fs.close(file);
    }

    void stop() {
        stopping = true;
    }

    /** Changes that were acknowledged. */
    long count() {
        return count;
    }

    /** What is not as it must be: one line each. */
    List<String> wrongs(Posix now) throws IOException {
        var wrongs = new ArrayList<String>();
        for (var file : acknowledged.entrySet()) {
            byte[] found = load(now, file.getKey());
            boolean right = Arrays.equals(found, file.getValue())
                    || file.getKey().equals(underWay) && found != null && isBetween(found, file.getValue(), attempted);
            if (!right) {
                wrongs.add("%s has %s of %d bytes".formatted(
                        file.getKey(), found == null ? "none" : found.length + " bytes, different ones",
                        file.getValue().length));
            }
        }
        return wrongs;
    }

    private static byte[] load(Posix fs, String path) {
        try {
            return fs.load(path);
        } catch (IOException missing) {
            return null;
        }
    }

    /** Is every byte that of the one or of the other? A file being replaced may be of any length up to the longer. */
    private static boolean isBetween(byte[] found, byte[] old, byte[] attempted) {
        if (found.length > Math.max(old.length, attempted.length)) {
            return false;
        }
        for (int i = 0; i < found.length; i++) {
            boolean one = i < old.length && found[i] == old[i];
            boolean other = i < attempted.length && found[i] == attempted[i];
            if (!one && !other && found[i] != 0) {
                return false;
            }
        }
        return true;
    }

    /** For a test of this: claims more than there is. */
    void claim(String path, byte[] bytes) {
        acknowledged.put(path, bytes);
    }

    /** Goes on with these files through another mount. */
    AcknowledgedFiles on(Posix other, long seed) {
        var next = new AcknowledgedFiles(other, prefix, seed);
        next.acknowledged.putAll(acknowledged);
        if (underWay != null) {
            next.acknowledged.remove(underWay);
        }
        return next;
    }
}
