package volsh.checkpoint;

import java.util.List;

/**
 * The findings of a complete read of a checkpoint.
 *
 * @param wrong      files that differ from what was saved, cannot be read, or have a broken structure; with the reason
 * unless they differ
 * @param unread     how many of them could not be read for a reason other than damage: a store was unavailable
 * @param tensors    tensors and entries in files whose structure is known
 * @param nans       NaNs, and {@code infinities} infinite numbers, in tensors of known types
 * @param unsound    the tensors with such numbers, as FILE: TENSOR
 */
public record Verification(List<String> wrong, long unread, long tensors, long nans, long infinities,
        List<String> unsound) {
    public Verification {
        wrong = List.copyOf(wrong);
        unsound = List.copyOf(unsound);
    }

    /** Whether it is what was saved. */
    public boolean good() {
        return wrong.isEmpty();
    }

    /** Whether something in it differs from what was saved, whatever else could not be read. */
    public boolean damaged() {
        return wrong.size() > unread;
    }

    /** Whether every known number is finite: a job may resume from it. */
    public boolean finite() {
        return nans == 0 && infinities == 0;
    }
}
