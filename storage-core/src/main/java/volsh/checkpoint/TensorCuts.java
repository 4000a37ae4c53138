package volsh.checkpoint;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.fs.ByteSource;
import volsh.tensor.Tensor;
import volsh.tensor.TensorFile;
import volsh.tensor.TensorFormatException;
import volsh.vfs.Pieces.Cut;

/**
 * Cuts a file into pieces so that unchanged parts are found again. In a tensor file every large tensor begins a piece:
 * when one is inserted or grows, those after it are still cut as before. Small neighbours stay together. Other files
 * are cut at fixed offsets.
 */
final class TensorCuts {
    private static final int SMALL_BLOCK = 64 << 10;

    private final long size;
    private final int longest;
    private final int enough;
    private final List<Cut> cuts = new ArrayList<>();
    private long start;

    private TensorCuts(long size, int longest) {
        this.size = size;
        this.longest = longest;
        this.enough = Math.max(longest / 8, Math.min(longest, SMALL_BLOCK));
    }

    static List<Cut> of(FileChannel file, long size, int longest) throws IOException {
        Optional<TensorFile> tensors;
        try {
            tensors = TensorFile.read("", ByteSource.of(file));
        } catch (TensorFormatException broken) {
            tensors = Optional.empty();     // saved all the same; verify reports it
        }
        return of(tensors.map(TensorFile::tensors).orElse(List.of()), size, longest);
    }

    static List<Cut> of(List<Tensor> tensors, long size, int longest) {
        return new TensorCuts(size, longest).run(tensors);
    }

    private List<Cut> run(List<Tensor> tensors) {
        for (var tensor : tensors) {
            if (tensor.start() >= start && tensor.end() <= size && tensor.length() >= enough) {
                cutTo(tensor.start());
                cutTo(tensor.end());
            } else if (tensor.end() <= size && tensor.end() - start >= enough) {
                cutTo(tensor.end());
            }
        }
        cutTo(size);
        return cuts;
    }

    private void cutTo(long end) {
        while (start < end) {
            int length = (int) Math.min(longest, end - start);
            cuts.add(new Cut(start, length));
            start += length;
        }
    }
}
