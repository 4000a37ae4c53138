package volsh.vfs;

import java.util.zip.CRC32C;

/** Bytes in a few words: their number, their checksum, and the first of them. */
final class Fingerprint {
    private static final int SHOWN = 8;

    private Fingerprint() {}

    static String of(byte[] bytes) {
        var checksum = new CRC32C();
        checksum.update(bytes);
        var shown = new StringBuilder();
        for (int i = 0; i < Math.min(SHOWN, bytes.length); i++) {
            shown.append("%02x".formatted(bytes[i]));
        }
        return "[%d bytes %08x %s]".formatted(bytes.length, checksum.getValue(), shown);
    }
}
