package volsh.tree;

import java.util.Optional;
import volsh.unit.Rate;

/**
 * How files are copied.
 *
 * @param parallel files and parts of files at a time
 * @param part the length of the parts in which large files are copied, each with a request of its own
 * @param limit bytes per second in all; empty for no limit
 * @param checksum whether the SHA-256 of every copy is compared
 * @param update whether files are left out whose copy has the same size and is not older
 */
public record CopySettings(int parallel, long part, Optional<Rate> limit, boolean checksum, boolean update) {
    /** Files that are larger than this are copied in parts. */
    public static final long PART = NewEntry.PART;

    public static CopySettings of(int parallel) {
        return new CopySettings(parallel, PART, Optional.empty(), false, false);
    }
}
