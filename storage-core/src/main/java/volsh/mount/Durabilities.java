package volsh.mount;

import java.io.IOException;
import volsh.fs.Attributes;
import volsh.fs.Name;
import volsh.volume.Durability;
import volsh.volume.Volume;

/** Determines how safe files are, from the volume and the mounts that write to it. */
final class Durabilities {
    private static final int PAGE = 500;

    private final Volume volume;
    private final Unwritten unwritten;

    /** Whether mounts hold bytes of this inode that are not written out. */
    interface Unwritten {
        boolean has(long ino) throws IOException;
    }

    Durabilities(Volume volume, Unwritten unwritten) {
        this.volume = volume;
        this.unwritten = unwritten;
    }

    /** The file, or the directory with everything below it. */
    Durability of(Attributes found) throws IOException {
        var whole = single(found);
        if (!found.isDirectory()) {
            return whole;
        }
        Name after = null;
        while (true) {
            var page = volume.vfs().list(found.ino(), after, PAGE);
            for (var child : volume.vfs().attributes(page)) {
                whole = whole.and(of(child));
            }
            if (page.size() < PAGE) {
                return whole;
            }
            after = page.getLast().name();
        }
    }

    /** Checks memory first: what is written out meanwhile is then found in the metadata. */
    private Durability single(Attributes found) throws IOException {
        return found.isRegular() && unwritten.has(found.ino()) ? Durability.buffered() : volume.durability(found.ino());
    }
}
