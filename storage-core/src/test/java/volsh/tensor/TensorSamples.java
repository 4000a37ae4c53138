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
import volsh.fs.ByteSource;
import volsh.json.Json;

/** Files of tensors as frameworks write them, made without one. */
public final class TensorSamples {
    private TensorSamples() {}

    /**
     * As Python's pickle wrote it, protocol 2, with the classes and calls of torch: storage 0 has 4 floats, of which
     * two tensors are views, 1 has 70,000 bfloat16, 2 has 3 long integers; beside them numbers, lists and tuples.
     */
    public static final String PICKLE_2 =
            "gAJ9cQAoWAUAAABtb2RlbHEBY2NvbGxlY3Rpb25zCk9yZGVyZWREaWN0CnECKVJxAyhYAQAAAHdxBGN0b3JjaC5fdXRpbHMK"
                    + "X3JlYnVpbGRfdGVuc29yX3YyCnEFKChYBw" + "AAAHN0b3JhZ2VxBmN0b3JjaApGbG9hdFN0b3JhZ2UKcQdYAQ"
                    + "AAADBxCFgDAAAAY3B1cQlLBHRxClFLAEsEhXELSwGFcQyJaAIpUnENdHEOUnEPWAUAAABhZ2FpbnEQaAUo"
                    + "KGgGaAdoCGgJSwR0cRFRSwBLBIVxEmgMiWgCKVJxE3RxFFJxFVgBAAAAYnEWaAUoKGgGY3RvcmNoCkJGbG9hdDE2"
                    + "U3RvcmFnZQpxF1gBAAAAMXEYaAlKcBEBAHRxGVFLAE" + "pwEQEAhXEaaAyJaAIpUnEbdHEcUnEddVgEAAAAc3"
                    + "RlcHEeaAUoKGgGY3RvcmNoCkxvbmdTdG9yYWdlCnEfWAEAAAAycSBoCUsDdHEhUUsASwOFcSJoDIloAilScSN0cSRS"
                    + "cSVYBQAAAGVwb2NocSZLClgDAAAAYmlncSeKBgAAAAAAAVgCAAAAbHJxKEc/uZmZmZmZmlgEAAAAbm9uZXEpTlgFAAAAbmFt"
                    + "ZXNxKl1xKyhYAQAAAHhxLFgBAAAAeXEtZV" + "gEAAAAZmxhZ3EuiFgBAAAAdHEvKEsBSwJLA0sEdHEwdS4=";
    /** The same with protocol 4. */
    public static final String PICKLE_4 =
            "gASVpQEAAAAAAAB9lCiMBW1vZGVslIwLY29sbGVjdGlvbnOUjAtPcmRlcmVkRGljdJSTlClSlCiMAXeUjAx0b3JjaC5fdXRp"
                    + "bHOUjBJfcmVidWlsZF90ZW5zb3JfdjKUk5" + "QoKIwHc3RvcmFnZZSMBXRvcmNolIwMRmxvYXRTdG9yYWdllJ"
                    + "OUjAEwlIwDY3B1lEsEdJRRSwBLBIWUSwGFlIloBClSlHSUUpSMBWFnYWlulGgJKChoCmgNaA5oD0sEdJRR"
                    + "SwBLBIWUaBKJaAQpUpR0lFKUjAFilGgJKChoCmgLjA9CRmxvYXQxNlN0b3JhZ2WUk5SMATGUaA9KcBEBAHSUUUsA"
                    + "SnARAQCFlGgSiWgEKVKUdJRSlHWMBHN0ZXCUaAkoKG" + "gKaAuMC0xvbmdTdG9yYWdllJOUjAEylGgPSwN0lF"
                    + "FLAEsDhZRoEoloBClSlHSUUpSMBWVwb2NolEsKjANiaWeUigYAAAAAAAGMAmxylEc/uZmZmZmZmowEbm9uZZROjAVu"
                    + "YW1lc5RdlCiMAXiUjAF5lGWMBGZsYWeUiIwBdJQoSwFLAksDSwR0lHUu";

    /** Protocol 2: tensors in lists, tuples and dictionaries, and an object with a parameter, all of 4 floats. */
    public static final String PICKLE_NESTED =
            "gAJ9cQAoWAQAAABsaXN0cQFdcQIoY3RvcmNoLl91dGlscwpfcmVidWlsZF90ZW5zb3JfdjIKcQMoKFgHAAAAc3RvcmFnZXEE"
                    + "Y3RvcmNoCkZsb2F0U3RvcmFnZQpxBVgBAAAA" + "MHEGWAMAAABjcHVxB0sEdHEIUUsASwSFcQlLAYVxColjY29s"
                    + "bGVjdGlvbnMKT3JkZXJlZERpY3QKcQspUnEMdHENUnEOaAMoKGgEaAVYAQAAADFxD2gHSwR0cRBRSwBoCWgK"
                    + "iWgLKVJxEXRxElJxE4VxFGVYBQAAAHN0YXRlcRV9cRZLB31xF1gHAAAAZXhwX2F2Z3EYaAMoKGgEaAVYAQAAADJx"
                    + "GWgHSwR0cRpRSwBoCWgKiWgLKVJxG3RxHFJxHXNzWAMA" + "AABhLmJxHmgDKChoBGgFWAEAAAAzcR9oB0sEdHEg"
                    + "UUsAaAloColoCylScSF0cSJScSNYAQAAAGFxJH1xJVgBAAAAYnEmaAMoKGgEaAVYAQAAADRxJ2gHSwR0cShRSwBoCWgK"
                    + "iWgLKVJxKXRxKlJxK3NYBgAAAG1vZHVsZXEsY3RvcmNoLm5uCkxpbmVhcgpxLSmBcS59cS8oWAYAAAB3ZWlnaHRx"
                    + "MGN0b3JjaC5fdXRpbHMKX3JlYnVpbGRfcGFyYW1ldGVy" + "CnExaAMoKGgEaAVYAQAAADVxMmgHSwR0cTNRSwBo"
                    + "CWgKiWgLKVJxNHRxNVJxNohoCylScTeHcThScTlYAwAAAG9uZXE6aAMoKGgEaAVoMmgHSwR0cTtRSwBoCWgKiWgLKVJx"
                    + "PHRxPVJxPlgDAAAAdHdvcT9oAygoaARoBWgyaAdLBHRxQFFLAGgJaAqJaAspUnFBdHFCUnFDWAUAAAB0aHJlZXFEaAMoKGgE"
                    + "aAVoMmgHSwR0cUVRSwBoCWgKiWgLKVJxRnRx" + "R1JxSHVidS4=";

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
            header.put(tensor.getKey(), Map.of("dtype", "F32", "shape", List.of(length / 4), "data_offsets",
                    List.of(at, at + length)));
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
        return zip("a pickle".getBytes(StandardCharsets.UTF_8), tensors);
    }

    /** The same with this pickle. */
    public static byte[] zip(byte[] pickle, Map<String, byte[]> tensors) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ZipOutputStream(bytes)) {
            out.setMethod(ZipOutputStream.STORED);
            add(out, "archive/data.pkl", pickle);
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

    public static ByteSource bytes(byte[] content) {
        return new ByteSource() {
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
