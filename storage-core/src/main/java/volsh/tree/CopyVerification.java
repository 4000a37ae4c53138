package volsh.tree;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Compares the bytes of a copy with what is known of the original. An object that comes in one stream is compared with
 * its ETag where that is its MD5; with checksums asked for, the SHA-256 is compared: a put stores it with the object,
 * and what is read from there is compared with it.
 */
final class CopyVerification {
    static final String SHA_256 = "sha256";
    private static final Pattern MD5 = Pattern.compile("[0-9a-f]{32}");

    private final FileTree source;
    private final TreeEntry file;
    private final boolean checksum;
    private final Optional<MessageDigest> md5;
    private String expected = "";

    CopyVerification(FileTree source, TreeEntry file, boolean checksum) {
        this.source = source;
        this.file = file;
        this.checksum = checksum;
        this.md5 = MD5.matcher(file.etag()).matches() ? Optional.of(digest("MD5")) : Optional.empty();
    }

    static MessageDigest digest(String name) {
        try {
            return MessageDigest.getInstance(name);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /** What the copy is to carry; reads the whole file if checksums are asked for. */
    Map<String, String> metadata(TreeReader reader) throws IOException {
        if (!checksum) {
            return Map.of();
        }
        expected = sha256(reader);
        String stored = file.isObject() ? source.metadata(file).getOrDefault(SHA_256, expected) : expected;
        if (!stored.equals(expected)) {
            throw new MismatchException("%s: its bytes have the SHA-256 %s, but it was stored with %s"
                    .formatted(source.name(file.path()), expected, stored));
        }
        return Map.of(SHA_256, expected);
    }

    private static String sha256(TreeReader reader) throws IOException {
        var digest = digest("SHA-256");
        reader.read(0, reader.size(), piece -> digest.update(piece));
        return HexFormat.of().formatHex(digest.digest());
    }

    /** A piece of the only stream. */
    void take(ByteBuffer piece) {
        md5.ifPresent(digest -> digest.update(piece));
    }

    /** The stream has ended: its bytes must be those of the ETag, unless a second read says that it is no MD5. */
    void requireStream(boolean whole) throws IOException {
        if (!whole || md5.isEmpty()) {
            return;
        }
        byte[] found = md5.get().digest();
        if (HexFormat.of().formatHex(found).equals(file.etag())) {
            return;
        }
        var again = digest("MD5");
        try (var reader = source.open(file)) {
            reader.read(0, reader.size(), piece -> again.update(piece));
        }
        if (!MessageDigest.isEqual(found, again.digest())) {
            throw new MismatchException(source.name(file.path()) + ": its bytes differ from its ETag");
        }
    }

    /** The written bytes, read again, must have the SHA-256 of the original, where that is possible before the end. */
    void require(FileTree target, TreeWriter writer, NewEntry entry) throws IOException {
        if (!checksum) {
            return;
        }
        var back = writer.reread();
        if (back.isEmpty()) {
            return;     // a bucket has compared every part with its checksum
        }
        try (var reader = back.get()) {
            if (!sha256(reader).equals(expected)) {
                throw new MismatchException(target.name(entry.path()) + ": the copy differs from the original");
            }
        }
    }
}
