package volsh.checkpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import volsh.tensor.NumberType;
import volsh.tensor.Tensor;

/** Counts NaN and infinite numbers in the tensors of a file that is read sequentially, in pieces of any length. */
final class TensorScan {
    private final List<Tensor> tensors;
    private final ByteBuffer split = ByteBuffer.allocate(Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private int index;
    private long at;
    private long nans;
    private long infinities;
    private final Set<String> where = new LinkedHashSet<>();

    TensorScan(List<Tensor> tensors) {
        this.tensors = tensors.stream().filter(tensor -> tensor.type().isReal()).toList();
    }

    long nans() {
        return nans;
    }

    long infinities() {
        return infinities;
    }

    /** The tensors with such numbers, in file order. */
    List<String> where() {
        return List.copyOf(where);
    }

    /** The next bytes of the file. */
    void feed(ByteBuffer bytes) {
        var piece = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        long start = at;
        at += piece.remaining();
        int base = piece.position();
        while (index < tensors.size() && tensors.get(index).start() < at) {
            var tensor = tensors.get(index);
            int from = base + (int) Math.max(0, tensor.start() - start);
            int to = base + (int) (Math.min(tensor.end(), at) - start);
            long before = nans + infinities;
            count(tensor.type(), piece, from, to);
            if (nans + infinities > before) {
                where.add(tensor.name());
            }
            if (tensor.end() > at) {
                return;
            }
            split.clear();
            index++;
        }
    }

    private void count(NumberType type, ByteBuffer piece, int from, int to) {
        int next = from;
        while (next < to && (split.position() > 0 || to - next < type.bytes())) {     // a number split over two pieces
            split.put(piece.get(next++));
            if (split.position() == type.bytes()) {
                look(type.real(split, 0));
                split.clear();
            }
        }
        for (; to - next >= type.bytes(); next += type.bytes()) {
            look(type.real(piece, next));
        }
        while (next < to) {
            split.put(piece.get(next++));
        }
    }

    private void look(double number) {
        if (Double.isNaN(number)) {
            nans++;
        } else if (Double.isInfinite(number)) {
            infinities++;
        }
    }
}
