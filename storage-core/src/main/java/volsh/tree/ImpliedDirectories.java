package volsh.tree;

import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A flat listing of a bucket with the directories that keys imply, each once and before what is in it. */
public final class ImpliedDirectories implements TreeCursor {
    private final TreeCursor listing;
    private String directory = "";
    private @Nullable TreeEntry waiting;

    public ImpliedDirectories(TreeCursor listing) {
        this.listing = listing;
    }

    @Override
    public @Nullable TreeEntry next() throws IOException {
        var entry = waiting == null ? listing.next() : waiting;
        waiting = null;
        if (entry == null || !entry.isObject()) {
            return entry;
        }
        if (entry.isDirectory() && directory.equals(entry.path() + '/')) {
            return next();      // a marker behind the first key in it never comes, but the order is the server's
        }
        while (!entry.path().startsWith(directory)) {
            directory = directory.substring(0, directory.lastIndexOf('/', directory.length() - 2) + 1);
        }
        int slash = entry.path().indexOf('/', directory.length());
        if (slash >= 0) {
            directory = entry.path().substring(0, slash + 1);
            waiting = entry;
            return BucketTree.directory(entry.path().substring(0, slash), directory, Instant.EPOCH);
        }
        directory = entry.isDirectory() ? entry.path() + '/' : directory;
        return entry;
    }
}
