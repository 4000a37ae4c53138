package volsh.ship;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import volsh.block.BlockKey;

/**
 * The content of a log: the write sets of consecutive changes, the host that shipped them and when, and the description
 * of the volume (its specification, to identify the volume without a restore).
 */
record LogContent(String host, Instant time, byte[] about, List<byte[]> sets) {
    byte[] toBytes() {
        var out = new Bytes().text(host.getBytes(StandardCharsets.UTF_8)).number(time.toEpochMilli()).text(about);
        out.number(sets.size());
        sets.forEach(out::text);
        return out.toBytes();
    }

    static LogContent parse(BlockKey key, ShippedObject log) throws DamagedShipmentException {
        var in = ByteBuffer.wrap(log.content());
        try {
            String host = new String(Bytes.text(in), StandardCharsets.UTF_8);
            var time = Instant.ofEpochMilli(Bytes.number(in));
            byte[] about = Bytes.text(in);
            var sets = new ArrayList<byte[]>();
            for (long count = Bytes.number(in); count > 0; count--) {
                sets.add(Bytes.text(in));
            }
            if (in.hasRemaining() || sets.isEmpty() || sets.size() != log.last() - log.first() + 1) {
                throw new IllegalArgumentException("its changes do not match its header");
            }
            return new LogContent(host, time, about, sets);
        } catch (RuntimeException nonsense) {
            throw new DamagedShipmentException(key, nonsense);
        }
    }
}
