package volsh.checkpoint;

import java.util.List;

/**
 * What was found when all of a checkpoint was read.
 *
 * @param wrong      files that are not what was saved, or cannot be read, or whose structure is broken; with the reason if it is not the first
 * @param tensors    tensors and entries in files whose structure is known
 * @param nans       numbers that are none, and {@code infinities} that are infinite, in tensors whose type is known
 */
public record Verification(List<String> wrong, long tensors, long nans, long infinities) {
    public Verification {
        wrong = List.copyOf(wrong);
    }

    public boolean good() {
        return wrong.isEmpty();
    }
}
