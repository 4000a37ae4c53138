package volsh.upkeep.dump;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import volsh.json.Fields;
import volsh.json.Json;

/** The lines of a dump, read in order and verified: changes and truncation are detected. */
final class DumpLines {
    private static final int LINE_MAX = 1 << 20;

    private final InputStream in;
    private final MessageDigest digest = Dump.sha256();
    private @Nullable String headerDigest;
    private long line;
    private long rows;

    DumpLines(InputStream in) {
        this.in = in;
    }

    /** The first line. */
    DumpHeader header() throws IOException {
        byte[] text = text();
        headerDigest = HexFormat.of().formatHex(Dump.sha256().digest(text));
        try {
            return DumpHeader.of(Json.read(text));
        } catch (IOException wrong) {
            throw refuse(wrong.getMessage());
        }
    }

    /** The next row; null after the last one, whose digest was verified. */
    @Nullable Fields next() throws IOException {
        while (true) {
            byte[] text = text();
            Fields fields;
            try {
                fields = Json.read(text);
            } catch (IOException | RuntimeException wrong) {
                throw refuse(wrong.getMessage());
            }
            if (fields.has("row")) {
                digest.update(text);
                rows++;
                return fields;
            }
            if (fields.has("end")) {
                prove(fields, "end");
                requireNothingMore();
                return null;
            }
            prove(fields, "sum");
        }
    }

    private void prove(Fields fields, String name) throws IOException {
        try {
            boolean right = fields.number(name) == rows && fields.text("sha256").equals(sum())
                    && (name.equals("sum") || fields.text("header").equals(headerDigest));
            if (!right) {
                throw refuse("digest mismatch: the lines before it were changed, or some are missing");
            }
        } catch (DumpRefusedException refused) {
            throw refused;
        } catch (IOException wrong) {
            throw refuse(wrong.getMessage());
        }
    }

    private void requireNothingMore() throws IOException {
        if (in.read() >= 0) {
            line++;
            throw refuse("unexpected data after the end of the dump");
        }
    }

    /** The digest of the rows so far. */
    String sum() {
        try {
            return HexFormat.of().formatHex(((MessageDigest) digest.clone()).digest());
        } catch (CloneNotSupportedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private byte[] text() throws IOException {
        line++;
        var bytes = new ByteArrayOutputStream();
        for (int next = in.read(); ; next = in.read()) {
            if (next < 0) {
                throw refuse("the dump is truncated: it ends here");
            }
            bytes.write(next);
            if (next == '\n') {
                return bytes.toByteArray();
            }
            if (bytes.size() > LINE_MAX) {
                throw refuse("the line is too long");
            }
        }
    }

    long line() {
        return line;
    }

    /** The exception for the line that was read last. */
    DumpRefusedException refuse(@Nullable String why) {
        return new DumpRefusedException("line %d: %s".formatted(line, why));
    }
}
