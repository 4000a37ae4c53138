package volsh.bucketfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import volsh.block.StoreUrl;
import volsh.object.ObjectStore;

/** What mounts that died left in all buckets of this user: a directory of upload logs for each bucket. */
public final class AbandonedUploads {
    private static final String PLACE = "place";

    private AbandonedUploads() {}

    /** Opens a bucket. */
    public interface Opener {
        ObjectStore open(StoreUrl url) throws IOException;
    }

    /** Notes which bucket and prefix a directory of logs is of. */
    public static void remember(Path log, StoreUrl url, String prefix) throws IOException {
        Files.writeString(log.resolve(PLACE), url + "\n" + prefix);
    }

    private static List<Path> logs(Path all) throws IOException {
        try (var directories = Files.list(all)) {
            return directories.filter(each -> Files.exists(each.resolve(PLACE))).toList();
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    /** How many uploads this process has left. */
    public static int count(Path all, long pid) throws IOException {
        int count = 0;
        for (var log : logs(all)) {
            count += UploadLog.count(log, pid);
        }
        return count;
    }

    /**
     * Aborts them all; returns how many. What one bucket refuses does not keep others.
     *
     * @throws IOException the first failure; what could not be aborted is tried again by the next mount of the bucket
     */
    public static int discard(Path all, Opener opener) throws IOException {
        int count = 0;
        var failures = new ArrayList<IOException>();
        for (var log : logs(all)) {
            try {
                count += discardLeft(log, opener);
            } catch (IOException failed) {
                failures.add(failed);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
        return count;
    }

    private static int discardLeft(Path log, Opener opener) throws IOException {
        if (!UploadLog.hasLeft(log)) {
            return 0;
        }
        var lines = Files.readString(log.resolve(PLACE)).split("\n", -1);
        try (var store = new MountedObjects(opener.open(StoreUrl.of(lines[0])), lines.length > 1 ? lines[1] : "")) {
            return UploadLog.discardLeft(log, store);
        }
    }
}
