package volsh.tensor;

import java.util.List;

/**
 * A tensor, or another named part, of a file: its bytes are {@code [start, end)}.
 *
 * @param type  of its numbers; {@link NumberType#UNKNOWN} if the file does not say
 * @param shape empty for a single number, or if the file does not say
 */
public record Tensor(String name, NumberType type, List<Long> shape, long start, long end) {
    public Tensor {
        shape = List.copyOf(shape);
    }

    public long length() {
        return end - start;
    }
}
