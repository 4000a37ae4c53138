package volsh.meta;

import java.nio.ByteBuffer;

/**
 * The keys of quotas, kind {@code q}: {@code q r account} a rule, {@code q u account lane} what a project has, as counters,
 * {@code q s session account} what a session may still use, as counters. Of the volume the usage is in the rows {@code U}.
 */
final class QuotaKeys {
    static final MetaKey RULES = MetaKey.of((byte) 'q', (byte) 'r');
    static final MetaKey USAGE = MetaKey.of((byte) 'q', (byte) 'u');
    static final MetaKey RESERVED = MetaKey.of((byte) 'q', (byte) 's');

    private QuotaKeys() {}

    static MetaKey rule(Account account) {
        var key = ByteBuffer.allocate(2 + Account.BYTES).put(RULES.bytes());
        account.put(key);
        return MetaKey.of(key.array());
    }

    static MetaKey usage(Account account) {
        var key = ByteBuffer.allocate(2 + Account.BYTES).put(USAGE.bytes());
        account.put(key);
        return MetaKey.of(key.array());
    }

    static MetaKey usage(Account account, int lane) {
        var key = ByteBuffer.allocate(3 + Account.BYTES).put(USAGE.bytes());
        account.put(key);
        return MetaKey.of(key.put((byte) lane).array());
    }

    static MetaKey reserved(long session, Account account) {
        var key = ByteBuffer.allocate(2 + Long.BYTES + Account.BYTES).put(RESERVED.bytes()).putLong(session);
        account.put(key);
        return MetaKey.of(key.array());
    }

    /** Of a rule or of usage. */
    static Account account(MetaKey key) {
        return Account.parse(ByteBuffer.wrap(key.bytes(), 2, Account.BYTES));
    }

    static long session(MetaKey reserved) {
        return ByteBuffer.wrap(reserved.bytes()).getLong(2);
    }

    static Account reservedAccount(MetaKey reserved) {
        return Account.parse(ByteBuffer.wrap(reserved.bytes(), 2 + Long.BYTES, Account.BYTES));
    }
}
