package volsh.tensor;

import static java.nio.charset.StandardCharsets.US_ASCII;

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
    private static final Pattern ORDER = Pattern.compile("(.*/)?byteorder");
    private static final int PICKLE_MAX = 64 << 20;
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

    /** The same with the types that the pickle of a torch archive tells; a part whose length does not fit its type stays unknown, as compressed ones do. */
    private static List<Tensor> typed(List<Tensor> parts, Bytes bytes) throws IOException {
        var pickle = parts.stream().filter(part -> PICKLE.matcher(part.name()).matches()).findFirst();
        if (pickle.isEmpty() || pickle.get().length() > PICKLE_MAX || isBigEndian(parts, bytes)) {
            return parts;
        }
        String top = pickle.get().name().substring(0, pickle.get().name().length() - "data.pkl".length());
        var storages = TorchPickle.storages(bytes.take(pickle.get().start(), (int) pickle.get().length()));
        return parts.stream().map(part -> {
            var storage = part.name().startsWith(top + "data/") ? storages.get(part.name().substring(top.length() + 5)) : null;
            return storage == null || storage.count() * storage.type().bytes() != part.length() ? part
                    : new Tensor(part.name(), storage.type(), List.of(storage.count()), part.start(), part.end());
        }).toList();
    }

    private static boolean isBigEndian(List<Tensor> parts, Bytes bytes) throws IOException {
        var order = parts.stream().filter(part -> ORDER.matcher(part.name()).matches() && part.length() < 16).findFirst();
        return order.isPresent() && US_ASCII.decode(bytes.take(order.get().start(), (int) order.get().length())).toString().equals("big");
    }

    /** Empty if it is another kind of file. @throws TensorFormatException if it is one of these, and broken */
    public static Optional<TensorFile> read(String name, Bytes bytes) throws IOException {
        boolean named = name.endsWith(".safetensors");
        if (ZipDirectory.looksLike(bytes)) {
            return Optional.of(new TensorFile(Format.ZIP, typed(ZipDirectory.read(bytes), bytes)));
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
