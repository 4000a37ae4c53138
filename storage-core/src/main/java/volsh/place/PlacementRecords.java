package volsh.place;

import java.io.IOException;
import java.util.Collection;
import java.util.Optional;

/** What the metadata of a volume say of where things are: the seam to those who keep it. Thread-safe. */
public interface PlacementRecords {
    /** Where this block is; empty if no row names the block. */
    Optional<Located> located(long block) throws IOException;

    /** A block: the number of its arrangement, and how many bytes it has as it is stored. */
    record Located(int arrangement, long stored) {
        /** What holds of a block that nobody knows anything of: there were blocks before there were arrangements. */
        static final Located FIRST = new Located(0, 0);
    }

    /** The number of the policy of this inode; 0 for the volume's. */
    int policy(long ino) throws IOException;

    /** What a number stands for: a policy or an arrangement, as text. */
    Optional<String> text(int number) throws IOException;

    /** The number that stands for this text, for ever; a new one if it has none. */
    int number(String text) throws IOException;

    /** These stores lack their part of the block, from before anybody can read it until {@link #found}. */
    void missing(long block, Collection<Integer> stores) throws IOException;

    /** These stores have their part of the block again. */
    void found(long block, Collection<Integer> stores) throws IOException;
}
