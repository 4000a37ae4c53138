package volsh.place;

import java.io.IOException;
import java.util.Collection;
import java.util.Optional;

/** The placement rows in the metadata of a volume. Thread-safe. */
public interface PlacementRecords {
    /** Where this block is; empty if no row names the block. */
    Optional<Located> located(long block) throws IOException;

    /** The number of a block's arrangement, and its stored length. */
    record Located(int arrangement, long stored) {
        /** The default for unknown blocks: those written before arrangements existed. */
        static final Located FIRST = new Located(0, 0);
    }

    /** The number of the policy of this inode; 0 for the volume's. */
    int policy(long ino) throws IOException;

    /** The text of a number: a policy or an arrangement. */
    Optional<String> text(int number) throws IOException;

    /** The permanent number of this text; assigns one if it has none. */
    int number(String text) throws IOException;

    /** Records that these stores lack their part of the block, before the block can be read, until {@link #found}. */
    void missing(long block, Collection<Integer> stores) throws IOException;

    /** Records that these stores have their part of the block again. */
    void found(long block, Collection<Integer> stores) throws IOException;
}
