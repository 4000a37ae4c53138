package volsh.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import volsh.disk.Disk;

/**
 * The cached data of one volume in a cache directory, for a process that does not fill it: a mount that uses it takes a
 * deleted file for a miss.
 */
public final class VolumeCache {
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final long SECOND_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Path directory;
    private final UUID volume;
    private final BlockFiles files;
    private final PinFiles pinFiles;

    /** The cached data of this volume, which may be none. */
    public VolumeCache(Disk disk, Path directory, UUID volume) {
        this.directory = directory;
        this.volume = volume;
        this.files = new BlockFiles(disk, directory.resolve(volume.toString()));
        this.pinFiles = new PinFiles(disk, directory.resolve(volume.toString()));
    }

    /** The volumes with data in a cache directory. */
    public static List<VolumeCache> in(Disk disk, Path directory) throws IOException {
        var found = new ArrayList<VolumeCache>();
        for (var listed : disk.list(directory)) {
            if (listed.directory() && ID.matcher(listed.name()).matches()) {
                found.add(new VolumeCache(disk, directory, UUID.fromString(listed.name())));
            }
        }
        return found;
    }

    /** Blocks with cached frames, the number of these frames, and the bytes of all files. */
    public record Held(long blocks, long frames, long bytes) {
        private Held plus(long moreFrames, long moreBytes) {
            return new Held(blocks + 1, frames + moreFrames, bytes + moreBytes);
        }
    }

    /** The result of a check: what is right, and the number of damaged blocks, which were deleted. */
    public record Checked(Held right, long damaged) {}

    public Path directory() {
        return directory;
    }

    public UUID volume() {
        return volume;
    }

    /** Counts by the tables of the files; of a file without one only its bytes count. */
    public Held held() throws IOException {
        var held = new Held[] {new Held(0, 0, 0)};
        files.visit((block, size, _) -> held[0] = held[0].plus(frames(block), size));
        return held[0];
    }

    private int frames(long block) throws IOException {
        try (var file = files.open(block)) {
            int count = 0;
            for (var entry : files.form(block).table(file)) {
                count += entry == null ? 0 : 1;
            }
            return count;
        } catch (NoSuchFileException | BlockFile.DamagedException nothing) {
            return 0;
        }
    }

    /** Reads every frame and deletes the files of damaged blocks. Ends early once {@code cancelled} is true. */
    public Checked verify(BooleanSupplier cancelled) throws IOException {
        var checked = new Checked[] {new Checked(new Held(0, 0, 0), 0)};
        files.visit((block, size, _) -> {
            if (!cancelled.getAsBoolean()) {
                checked[0] = check(block, size, checked[0]);
            }
        });
        return checked[0];
    }

    private Checked check(long block, long size, Checked before) throws IOException {
        try {
            int frames = read(block);
            return frames < 0 ? before : new Checked(before.right().plus(frames, size), before.damaged());
        } catch (BlockFile.DamagedException rotten) {
            files.delete(block);
            return new Checked(before.right(), before.damaged() + 1);
        }
    }

    /**
     * The number of frames of a block, all of them right; -1 if it is gone. A file that is being written is read a
     * second time.
     */
    private int read(long block) throws IOException {
        try {
            return readOnce(block);
        } catch (BlockFile.DamagedException perhapsUnfinished) {
            LockSupport.parkNanos(SECOND_LOOK_NANOS);
            return readOnce(block);
        }
    }

    private int readOnce(long block) throws IOException {
        return readAll(files, block);
    }

    /** The number of frames of the block, all of them right; -1 if it is gone. @throws BlockFile.DamagedException */
    static int readAll(BlockFiles files, long block) throws IOException {
        var form = files.form(block);
        try (var file = files.open(block)) {
            var table = form.table(file);
            int count = 0;
            for (int frame = 0; frame < table.length; frame++) {
                if (table[frame] != null) {
                    var sums = form.sums(file, frame, table[frame]);
                    var bytes = ByteBuffer.allocate(table[frame].length());
                    form.read(file, table[frame].position(), bytes);
                    form.check(frame, table[frame], sums, 0, bytes.flip());
                    count++;
                }
            }
            return count;
        } catch (NoSuchFileException gone) {
            return -1;
        }
    }

    /**
     * The pins of the volume here, oldest first; also expired ones, until the process that fills the directory removes
     * them.
     */
    public List<Pin> pins() throws IOException {
        return pinFiles.load();
    }

    /** The bytes of all pinned blocks, cached or not, each counted once. */
    public long pinnedBytes() throws IOException {
        return Pins.bytes(pins());
    }

    /** Deletes all cached data of the volume except pinned blocks; returns the bytes that became free. */
    public long evict() throws IOException {
        var pins = pins();
        long[] freed = {0};
        files.visit((block, size, _) -> {
            if (pins.stream().noneMatch(pin -> pin.blocks().contains(block))) {
                files.delete(block);
                freed[0] += size;
            }
        });
        return freed[0];
    }
}
