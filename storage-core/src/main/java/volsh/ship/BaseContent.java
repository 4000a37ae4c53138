package volsh.ship;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import volsh.block.BlockKey;

/** The content of a base: the description of the volume, and the parts with their digests. */
record BaseContent(String host, Instant time, byte[] about, String attempt, long storedBytes, List<byte[]> parts) {
    byte[] toBytes() {
        var out = new Bytes().text(host.getBytes(StandardCharsets.UTF_8)).number(time.toEpochMilli()).text(about);
        out.text(attempt.getBytes(StandardCharsets.UTF_8)).number(storedBytes).number(parts.size());
        parts.forEach(out::text);
        return out.toBytes();
    }

    static BaseContent parse(BlockKey key, ShippedObject base) throws DamagedShipmentException {
        var in = ByteBuffer.wrap(base.content());
        try {
            String host = new String(Bytes.text(in), StandardCharsets.UTF_8);
            var time = Instant.ofEpochMilli(Bytes.number(in));
            byte[] about = Bytes.text(in);
            String attempt = new String(Bytes.text(in), StandardCharsets.UTF_8);
            long storedBytes = Bytes.number(in);
            var parts = new ArrayList<byte[]>();
            for (long count = Bytes.number(in); count > 0; count--) {
                parts.add(Bytes.text(in));
            }
            return new BaseContent(host, time, about, attempt, storedBytes, parts);
        } catch (RuntimeException nonsense) {
            throw new DamagedShipmentException(key, nonsense);
        }
    }
}
