package volsh.quota;

import java.nio.ByteBuffer;
import volsh.engine.MetaKey;

/**
 * The keys of quotas, kind {@code q}: {@code q r account} a rule, {@code q u account lane} the usage of a project or an
 * owner, as counters, {@code q p account session} what a session may still use, as counters. The usage of the volume is
 * in the rows {@code U}. {@code q v} changes with every rule. {@code q c} says which inodes are counted for their
 * owners: those with a smaller number.
 */
public final class QuotaKeys {
    static final MetaKey RULES = MetaKey.of((byte) 'q', (byte) 'r');
    static final MetaKey USAGE = MetaKey.of((byte) 'q', (byte) 'u');
    static final MetaKey RESERVED = MetaKey.of((byte) 'q', (byte) 'p');
    public static final MetaKey RULES_VERSION = MetaKey.of((byte) 'q', (byte) 'v');
    public static final MetaKey COUNTED = MetaKey.of((byte) 'q', (byte) 'c');

    private QuotaKeys() {}

    public static MetaKey rule(Account account) {
        var key = ByteBuffer.allocate(2 + Account.BYTES).put(RULES.bytes());
        account.put(key);
        return MetaKey.of(key.array());
    }

    static MetaKey usage(Account account) {
        var key = ByteBuffer.allocate(2 + Account.BYTES).put(USAGE.bytes());
        account.put(key);
        return MetaKey.of(key.array());
    }

    public static MetaKey usage(Account account, int lane) {
        var key = ByteBuffer.allocate(3 + Account.BYTES).put(USAGE.bytes());
        account.put(key);
        return MetaKey.of(key.put((byte) lane).array());
    }

    static MetaKey reserved(Account account, long session) {
        var key = ByteBuffer.allocate(2 + Account.BYTES + Long.BYTES).put(RESERVED.bytes());
        account.put(key);
        return MetaKey.of(key.putLong(session).array());
    }

    /** What sessions may still use of the account. */
    static MetaKey reserved(Account account) {
        var key = ByteBuffer.allocate(2 + Account.BYTES).put(RESERVED.bytes());
        account.put(key);
        return MetaKey.of(key.array());
    }

    /** The account of a rule, usage or reservation. */
    public static Account account(MetaKey key) {
        return Account.parse(ByteBuffer.wrap(key.bytes(), 2, Account.BYTES));
    }

    public static long session(MetaKey reserved) {
        return ByteBuffer.wrap(reserved.bytes()).getLong(2 + Account.BYTES);
    }
}
