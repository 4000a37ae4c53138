package volsh.tensor;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import volsh.json.Json;

/** Files of tensors as frameworks write them, made without one. */
public final class TensorSamples {
    private TensorSamples() {}

    /** Reproducible floats, none of them zero. */
    public static byte[] floats(int bytes, long seed) {
        var random = new Random(seed);
        var buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.remaining() >= 4) {
            buffer.putFloat((float) (random.nextGaussian() + 10));
        }
        return buffer.array();
    }

    public static byte[] safetensors(Map<String, byte[]> tensors) throws IOException {
        var header = new LinkedHashMap<String, Object>();
        header.put("__metadata__", Map.of("format", "pt"));
        long at = 0;
        for (var tensor : tensors.entrySet()) {
            int length = tensor.getValue().length;
            header.put(tensor.getKey(), Map.of("dtype", "F32", "shape", List.of(length / 4), "data_offsets", List.of(at, at + length)));
            at += length;
        }
        var out = new ByteArrayOutputStream();
        byte[] json = Json.write(header);
        out.write(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(json.length).array());
        out.write(json);
        for (byte[] bytes : tensors.values()) {
            out.write(bytes);
        }
        return out.toByteArray();
    }

    /** What torch.save writes: stored entries, one for each storage. */
    public static byte[] zip(Map<String, byte[]> tensors) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ZipOutputStream(bytes)) {
            out.setMethod(ZipOutputStream.STORED);
            add(out, "archive/data.pkl", "a pickle".getBytes(StandardCharsets.UTF_8));
            for (var tensor : tensors.entrySet()) {
                add(out, "archive/data/" + tensor.getKey(), tensor.getValue());
            }
        }
        return bytes.toByteArray();
    }

    private static void add(ZipOutputStream out, String name, byte[] bytes) throws IOException {
        var entry = new ZipEntry(name);
        var crc = new CRC32();
        crc.update(bytes);
        entry.setCrc(crc.getValue());
        entry.setSize(bytes.length);
        out.putNextEntry(entry);
        out.write(bytes);
        out.closeEntry();
    }

    public static Bytes bytes(byte[] content) {
        return new Bytes() {
            @Override
            public long size() {
                return content.length;
            }

            @Override
            public int read(long offset, ByteBuffer target) {
                int count = (int) Math.min(target.remaining(), content.length - offset);
                target.put(content, (int) offset, count);
                return count;
            }
        };
    }
}
