package volsh.checkpoint;

import java.util.List;

/**
 * What was found when all of a checkpoint was read.
 *
 * @param wrong      files that are not what was saved, or cannot be read, or whose structure is broken; with the reason if it is not the first
 * @param unread     how many of them could not be read for another reason than damage: a store was away
 * @param tensors    tensors and entries in files whose structure is known
 * @param nans       numbers that are none, and {@code infinities} that are infinite, in tensors whose type is known
 * @param unsound    the tensors that have such numbers, as FILE: TENSOR
 */
public record Verification(List<String> wrong, long unread, long tensors, long nans, long infinities, List<String> unsound) {
    public Verification {
        wrong = List.copyOf(wrong);
        unsound = List.copyOf(unsound);
    }

    /** It is what was saved. */
    public boolean good() {
        return wrong.isEmpty();
    }

    /** Something in it is not what was saved, whatever else could not be read. */
    public boolean damaged() {
        return wrong.size() > unread;
    }

    /** Every number that can be looked at is one, and finite: a job may resume from it. */
    public boolean finite() {
        return nans == 0 && infinities == 0;
    }
}
