package volsh.tensor;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import volsh.fs.ByteSource;

/**
 * The content of a tensor file.
 *
 * @param tensors in file order; they do not overlap, and their names are unique. Those of torch archives have their
 * names from the pickle
 * @param count   how many of these are tensors: torch archives also have other parts, such as the pickle
 */
public record TensorFile(Format format, List<Tensor> tensors, long count) {
    private static final Pattern PICKLE = Pattern.compile("(.*/)?data\\.pkl");
    private static final Pattern ORDER = Pattern.compile("(.*/)?byteorder");
    private static final int PICKLE_MAX = 64 << 20;
    private static final int NAMES_MAX = 3;
    private static final Pattern STORAGE = Pattern.compile("(.*/)?data/[^/]+");

    /** The supported formats. */
    public enum Format {
        SAFETENSORS, ZIP;

        /** The name for people. */
        public String text() {
            return this == SAFETENSORS ? "safetensors" : "torch zip";
        }
    }

    public TensorFile {
        tensors = List.copyOf(tensors);
    }

    private static long count(List<Tensor> parts) {
        boolean torch = parts.stream().anyMatch(part -> PICKLE.matcher(part.name()).matches());
        return parts.stream().filter(part -> !torch || STORAGE.matcher(part.name()).matches()).count();
    }

    /**
     * Adds the types and names from the pickle of a torch archive; a part whose length does not fit its type, such as a
     * compressed one, is not one of its storages.
     */
    private static List<Tensor> described(List<Tensor> parts, ByteSource bytes) throws IOException {
        var pickle = parts.stream().filter(part -> PICKLE.matcher(part.name()).matches()).findFirst();
        if (pickle.isEmpty() || pickle.get().length() > PICKLE_MAX || isBigEndian(parts, bytes)) {
            return parts;
        }
        String top = pickle.get().name().substring(0, pickle.get().name().length() - "data.pkl".length());
        var storages = TorchPickle.storages(content(bytes, pickle.get()));
        var taken = parts.stream().map(Tensor::name).collect(Collectors.toSet());
        return parts.stream().map(part -> {
            var storage = part.name().startsWith(top + "data/") ? storages.get(part.name().substring(top.length() + 5))
                    : null;
            return storage == null || storage.count() * storage.type().bytes() != part.length() ? part
                    : new Tensor(name(part, storage, taken), storage.type(), List.of(storage.count()), part.start(),
                            part.end());
        }).toList();
    }

    /** Several tensors may be views of one storage; a key may contain a dot, so that two names seem the same. */
    private static String name(Tensor part, TorchPickle.Storage storage, Set<String> taken) {
        var names = storage.names();
        if (names.isEmpty()) {
            return part.name();
        }
        String name = String.join(", ", names.subList(0, Math.min(NAMES_MAX, names.size())))
                + (names.size() > NAMES_MAX ? " and %d more".formatted(names.size() - NAMES_MAX) : "");
        return taken.add(name) ? name : "%s (%s)".formatted(name, part.name());
    }

    private static ByteBuffer content(ByteSource bytes, Tensor part) throws IOException {
        return TensorBytes.take(bytes, part.start(), (int) part.length());
    }

    private static boolean isBigEndian(List<Tensor> parts, ByteSource bytes) throws IOException {
        var order = parts.stream().filter(part -> ORDER.matcher(part.name()).matches() && part.length() < 16)
                .findFirst();
        return order.isPresent() && US_ASCII.decode(content(bytes, order.get())).toString().equals("big");
    }

    /** Empty if it is another kind of file. @throws TensorFormatException if it is a broken tensor file */
    public static Optional<TensorFile> read(String name, ByteSource bytes) throws IOException {
        boolean named = name.endsWith(".safetensors");
        if (ZipDirectory.looksLike(bytes)) {
            var parts = ZipDirectory.read(bytes);
            return Optional.of(new TensorFile(Format.ZIP, described(parts, bytes), count(parts)));
        }
        if (named || SafetensorsHeader.looksLike(bytes)) {
            try {
                var tensors = SafetensorsHeader.read(bytes);
                return Optional.of(new TensorFile(Format.SAFETENSORS, tensors, tensors.size()));
            } catch (TensorFormatException broken) {
                if (named) {
                    throw broken;
                }
            }
        }
        return Optional.empty();
    }
}
