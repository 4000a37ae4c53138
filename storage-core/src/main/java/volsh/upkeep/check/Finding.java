package volsh.upkeep.check;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaKey;

/**
 * One problem. {@code row} is the row to begin a repair with, or null; {@code number} its correct value or the number
 * it is about; {@code inodes} are affected files, {@code more} how many others there are.
 */
public record Finding(Damage damage, String subject, String detail, @Nullable MetaKey row, long number,
        List<Long> inodes, long more) {
    public Finding {
        inodes = List.copyOf(inodes);
    }

    /** A problem that affects no other files. */
    public Finding(Damage damage, String subject, String detail, @Nullable MetaKey row, long number,
            List<Long> inodes) {
        this(damage, subject, detail, row, number, inodes, 0);
    }

    static Finding of(Damage damage, String subject, String detail, @Nullable MetaKey row) {
        return new Finding(damage, subject, detail, row, 0, List.of());
    }

    static Finding ofDatabase(String problem) {
        return new Finding(Damage.DATABASE_DAMAGED, "database", problem, null, 0, List.of());
    }

    static Finding ofInode(Damage damage, long ino, String detail, MetaKey row, long number) {
        return new Finding(damage, "inode " + Long.toUnsignedString(ino), detail, row, number, List.of(ino));
    }

    static Finding ofBlock(Damage damage, long block, String detail, MetaKey row, long number, FilesOfBlock files) {
        return new Finding(damage, "block %016x".formatted(block), detail, row, number, files.inodes(), files.more());
    }

    /** The row to begin a repair with, for damage in rows. */
    public MetaKey repairedRow() {
        return Objects.requireNonNull(row, subject);
    }

    /** Whether it is the same problem, seen again. */
    boolean isSame(Finding other) {
        return damage == other.damage && subject.equals(other.subject) && detail.equals(other.detail);
    }
}
