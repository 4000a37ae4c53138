package volsh.command.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import volsh.command.Cancellation;

/**
 * A small data set as one trains on: many images of a few KiB, labels and logs as text, and some large shards. Always
 * the same.
 */
final class Dataset {
    private static final int IMAGES = 300;
    private static final int LOGS = 20;
    private static final int SHARDS = 3;
    private static final int SHARD_BYTES = 12 << 20;
    private static final int BUFFER_BYTES = 1 << 20;

    private final Random random = new Random(2026);
    private final Path top;

    private Dataset(Path top) {
        this.top = top;
    }

    static void make(Path top, Cancellation cancellation) throws IOException {
        var data = new Dataset(top);
        for (String directory : new String[] {"images", "logs", "shards"}) {
            Files.createDirectories(top.resolve(directory));
        }
        for (int i = 0; i < IMAGES; i++) {
            data.write("images/%04d.jpg".formatted(i), data.noise(1_000 + data.random.nextInt(60_000)));
        }
        for (int i = 0; i < LOGS; i++) {
            data.write("logs/epoch-%02d.log".formatted(i), data.text(200_000));
        }
        for (int i = 0; i < SHARDS; i++) {
            cancellation.check();
            data.write("shards/shard-%03d.tar".formatted(i), data.shard());
        }
        data.write("labels.csv", data.text(50_000));
    }

    private void write(String name, byte[] bytes) throws IOException {
        Files.write(top.resolve(name), bytes);
    }

    private byte[] noise(int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] text(int length) {
        var text = new StringBuilder();
        for (int step = 0; text.length() < length; step++) {
            text.append("step ").append(step).append(" loss ").append(random.nextInt(10_000)).append(" lr 0.0003\n");
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    /** Half text, half noise, as shards of records are. */
    private byte[] shard() {
        byte[] shard = noise(SHARD_BYTES);
        byte[] text = text(SHARD_BYTES / 2);
        System.arraycopy(text, 0, shard, 0, text.length);
        return shard;
    }

    /** The SHA-256 of every file below a directory, by its path there. */
    static Map<String, String> digests(Path top, Cancellation cancellation) throws IOException {
        var digests = new TreeMap<String, String>();
        try (var files = Files.walk(top)) {
            for (var it = files.filter(Files::isRegularFile).iterator(); it.hasNext(); ) {
                cancellation.check();
                Path file = it.next();
                digests.put(top.relativize(file).toString(), digest(file));
            }
        }
        return digests;
    }

    private static String digest(Path file) throws IOException {
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
            var buffer = new byte[BUFFER_BYTES];
            while (in.read(buffer) >= 0) {
                // the digest sees what passes
            }
            return HexFormat.of().formatHex(((DigestInputStream) in).getMessageDigest().digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("this JDK lacks SHA-256", impossible);
        }
    }
}
