package volsh.tensor;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What is in a file of tensors.
 *
 * @param tensors in the order of the file; they do not overlap
 */
public record TensorFile(Format format, List<Tensor> tensors) {
    private static final Pattern PICKLE = Pattern.compile("(.*/)?data\\.pkl");
    private static final Pattern STORAGE = Pattern.compile("(.*/)?data/[^/]+");

    /** The formats that are understood. */
    public enum Format {
        SAFETENSORS, ZIP;

        /** As people call it. */
        public String text() {
            return this == SAFETENSORS ? "safetensors" : "torch zip";
        }
    }

    public TensorFile {
        tensors = List.copyOf(tensors);
    }

    /** How many of its parts are tensors: torch's archives have others, too, such as the pickle that says what the tensors are. */
    public long count() {
        boolean torch = format == Format.ZIP && tensors.stream().anyMatch(part -> PICKLE.matcher(part.name()).matches());
        return tensors.stream().filter(part -> !torch || STORAGE.matcher(part.name()).matches()).count();
    }

    /** Empty if it is another kind of file. @throws TensorFormatException if it is one of these, and broken */
    public static Optional<TensorFile> read(String name, Bytes bytes) throws IOException {
        boolean named = name.endsWith(".safetensors");
        if (ZipDirectory.looksLike(bytes)) {
            return Optional.of(new TensorFile(Format.ZIP, ZipDirectory.read(bytes)));
        }
        if (named || SafetensorsHeader.looksLike(bytes)) {
            try {
                return Optional.of(new TensorFile(Format.SAFETENSORS, SafetensorsHeader.read(bytes)));
            } catch (TensorFormatException broken) {
                if (named) {
                    throw broken;
                }
            }
        }
        return Optional.empty();
    }
}
