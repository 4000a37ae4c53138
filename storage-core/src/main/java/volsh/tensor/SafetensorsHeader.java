package volsh.tensor;

import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.fs.ByteSource;
import volsh.json.Fields;
import volsh.json.Json;

/** The header of a safetensors file: its length in 8 bytes, JSON, then the data without a gap. */
final class SafetensorsHeader {
    private static final int LENGTH = 8;
    private static final long LONGEST = 100_000_000;

    private SafetensorsHeader() {}

    static boolean looksLike(ByteSource bytes) throws IOException {
        if (bytes.size() <= LENGTH) {
            return false;
        }
        var start = TensorBytes.take(bytes, 0, LENGTH + 1).order(ByteOrder.LITTLE_ENDIAN);
        long length = start.getLong();
        return length >= 2 && length <= Math.min(LONGEST, bytes.size() - LENGTH) && start.get() == '{';
    }

    static List<Tensor> read(ByteSource bytes) throws IOException {
        if (bytes.size() < LENGTH) {
            throw new TensorFormatException("no header: the file has only %d bytes".formatted(bytes.size()));
        }
        long length = TensorBytes.take(bytes, 0, LENGTH).order(ByteOrder.LITTLE_ENDIAN).getLong();
        if (length < 2 || length > LONGEST) {
            throw new TensorFormatException("bad header: a length of " + length);
        }
        if (length > bytes.size() - LENGTH) {
            throw new TensorFormatException("truncated: a header of %d bytes in a file of %d"
                    .formatted(length, bytes.size()));
        }
        Fields header;
        try {
            header = Json.read(TensorBytes.take(bytes, LENGTH, (int) length).array());
        } catch (IOException broken) {
            throw new TensorFormatException("bad header: it is not JSON");
        }
        return tensors(header, LENGTH + length, bytes.size());
    }

    private static List<Tensor> tensors(Fields header, long data, long size) throws IOException {
        var tensors = new ArrayList<Tensor>();
        for (String name : header.values().keySet()) {
            if (!name.equals("__metadata__")) {
                tensors.add(tensor(name, header.values().get(name), data, size));
            }
        }
        tensors.sort(Comparator.comparingLong(Tensor::start).thenComparingLong(Tensor::end));
        long end = data;
        for (var tensor : tensors) {
            if (tensor.start() < end) {
                throw new TensorFormatException("bad header: tensor '%s' overlaps another".formatted(tensor.name()));
            }
            end = tensor.end();
        }
        return tensors;
    }

    private static Tensor tensor(String name, Object value, long data, long size) throws IOException {
        if (!(value instanceof Map<?, ?> fields) || !(fields.get("dtype") instanceof String dtype)) {
            throw new TensorFormatException("bad header: tensor '%s' has no type".formatted(name));
        }
        var shape = numbers(name, fields.get("shape"));
        var offsets = numbers(name, fields.get("data_offsets"));
        if (offsets.size() != 2 || offsets.get(0) < 0 || offsets.get(1) < offsets.get(0)) {
            throw new TensorFormatException("bad header: tensor '%s' has invalid offsets %s".formatted(name, offsets));
        }
        if (offsets.get(1) > size - data) {
            throw new TensorFormatException("truncated: tensor '%s' ends at %d of %d bytes"
                    .formatted(name, data + offsets.get(1), size));
        }
        var type = NumberType.of(dtype);
        long count = 1;
        for (long side : shape) {
            if (side < 0 || side != 0 && count > Long.MAX_VALUE / 8 / side) {
                throw new TensorFormatException("bad header: tensor '%s' has invalid shape %s".formatted(name, shape));
            }
            count *= side;
        }
        if (type != NumberType.UNKNOWN && count * type.bytes() != offsets.get(1) - offsets.get(0)) {
            throw new TensorFormatException("bad header: tensor '%s' of %s %s does not have %d bytes"
                    .formatted(name, type, shape, offsets.get(1) - offsets.get(0)));
        }
        return new Tensor(name, type, shape, data + offsets.get(0), data + offsets.get(1));
    }

    private static List<Long> numbers(String name, @Nullable Object value) throws TensorFormatException {
        var numbers = new ArrayList<Long>();
        if (!(value instanceof List<?> list)) {
            throw new TensorFormatException("bad header: tensor '%s' lacks a field".formatted(name));
        }
        for (Object one : list) {
            if (!(one instanceof Long number)) {
                throw new TensorFormatException("bad header: tensor '%s' has an invalid list %s".formatted(name, list));
            }
            numbers.add(number);
        }
        return numbers;
    }
}
