package volsh.ship;

import java.nio.ByteBuffer;
import volsh.engine.KeyFacts;
import volsh.engine.MetaKey;

/**
 * The rows of the change log: {@code w 1} the state of shipping, {@code w 2 number part} the changes, {@code w 3} the
 * counter. The counter sorts after the changes so that it shares a database page with the newest: both are written
 * together.
 */
final class LogKeys {
    static final MetaKey STATE = MetaKey.of(KeyFacts.CHANGE_LOG, (byte) 1);
    static final MetaKey COUNTER = MetaKey.of(KeyFacts.CHANGE_LOG, (byte) 3);

    private LogKeys() {}

    static MetaKey change(long number, int part) {
        return MetaKey.of(ByteBuffer.allocate(12)
                .put(KeyFacts.CHANGE_LOG).put((byte) 2).putLong(number).putShort((short) part).array());
    }

    static long number(MetaKey change) {
        return ByteBuffer.wrap(change.bytes()).getLong(2);
    }
}
