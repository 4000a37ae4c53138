package volsh.meta;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.regex.Pattern;

/** A tick with a name: the state of the volume at its end stays readable until the snapshot is destroyed. */
public record Snapshot(String name, long tick, Instant created, String label) {
    private static final int FORMAT = 1;
    private static final int LABEL_MAX = 256;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
    private static final Pattern TIME = Pattern.compile("\\d{8}T\\d{6}Z");

    public Snapshot {
        requireName(name);
        if (label.length() > LABEL_MAX || label.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("invalid snapshot label: '%s' (at most %d characters on one line)"
                    .formatted(label, LABEL_MAX));
        }
    }

    /** @throws IllegalArgumentException unless the text can name a snapshot */
    public static void requireName(String name) {
        if (!NAME.matcher(name).matches() || isTime(name)) {
            throw new IllegalArgumentException(
                    ("invalid snapshot name: '%s' (1 to 63 letters, digits, dots, dashes and underscores; "
                            + "try before-cleanup)").formatted(name));
        }
    }

    /** Whether a name looks like a time, such as {@code 20261101T100000Z}. */
    public static boolean isTime(String name) {
        return TIME.matcher(name).matches();
    }

    public byte[] toBytes() {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            out.writeLong(tick);
            out.writeLong(created.toEpochMilli());
            out.writeUTF(label);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    public static Snapshot parse(String name, byte[] row) throws IOException {
        var in = new DataInputStream(new ByteArrayInputStream(row));
        int format = in.readByte();
        if (format != FORMAT) {
            throw new IOException("unsupported snapshot row format %d: this volsh supports %d; upgrade volsh"
                    .formatted(format, FORMAT));
        }
        return new Snapshot(name, Ticks.possible(in.readLong()), Instant.ofEpochMilli(in.readLong()), in.readUTF());
    }
}
