package volsh.command.quota;

import org.jspecify.annotations.Nullable;
import volsh.command.render.Columns;
import volsh.meta.Quotas;
import volsh.quota.QuotaRule;
import volsh.unit.ByteSize;

/** A quota as it is shown. */
record QuotaRow(String path, String owner, @Nullable Long bytes, @Nullable Long inodes,
        long usedBytes, long usedInodes) {
    static final Columns<QuotaRow> COLUMNS = Columns.of(QuotaRow.class)
            .text("path", QuotaRow::path)
            .text("owner", QuotaRow::owner)
            .bytes("limit", QuotaRow::bytes)
            .bytes("used", QuotaRow::usedBytes)
            .bytes("free", row -> row.bytes() == null ? null : Math.max(0, row.bytes() - row.usedBytes()))
            .number("inodes", QuotaRow::inodes)
            .number("usedInodes", QuotaRow::usedInodes);

    static QuotaRow of(String path, Quotas.Status status) {
        return new QuotaRow(path, OwnerOptions.words(status.rule().account()), limit(status.rule().bytes()),
                limit(status.rule().inodes()), status.used().bytes(), status.used().inodes());
    }

    private static @Nullable Long limit(long value) {
        return value == QuotaRule.NONE ? null : Long.valueOf(value);
    }

    String limits() {
        String of = bytes == null ? "" : new ByteSize(bytes).toString();
        return inodes == null ? of : (of.isEmpty() ? "" : of + ", ") + inodes + " inodes";
    }
}
