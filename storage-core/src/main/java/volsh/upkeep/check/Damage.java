package volsh.upkeep.check;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of damage to a volume. The names are for scripts and never change; {@link #meaning} and {@link #repair} are
 * for people. A repair works in the order of this list.
 */
public enum Damage {
    LOG_DAMAGED("the log of the metadata is damaged: changes committed after the damage are lost",
            "keeps a copy of the log and continues with what was committed before the damage"),
    RECORD_UNREADABLE("the record of the volume in its metadata cannot be read", "recreates it from the catalog"),
    SESSION_UNREADABLE("the row of a session cannot be read", "removes the row, which fences the session"),
    ROW_UNREADABLE("a row cannot be read", "removes the row; what depends on it is rebuilt or moved to /lost+found"),
    BYTES_UNREADABLE("a row with bytes of a file, or with their location, cannot be read",
            "removes the row: the file stays, and reading the lost bytes is an error;"
                    + " restore or remove the file"),
    ROOT_MISSING("the root directory is missing", "creates an empty one; its former entries are still below it"),
    TICK_BEHIND("the clock of the volume is behind its newest row", "sets the clock to the newest row"),
    NUMBER_BEHIND("a number in use would be assigned again", "advances the counter"),
    PINS_WRONG("the retained ticks are not in order", "sorts them"),

    EXTENT_IMPOSSIBLE("an extent has no length, or begins before its file or block",
            "removes the extent: the file reads as zeros there"),
    EXTENT_OVERLAP("two extents of a file claim the same bytes", "keeps the newer one, and of the other only the rest"),
    ROW_MISPLACED("something other than a file has bytes, or other than a link a target",
            "moves bytes to a file in /lost+found, removes a target"),
    INLINE_UNEXPECTED("a file has inline bytes but says it has none",
            "keeps them if there are no extents, otherwise moves them to a file in /lost+found"),
    STORAGE_WRONG("a file has extents but says it has none", "corrects the file's row"),
    SIZE_WRONG("a file has bytes beyond its end, or a link has another length than its target", "corrects the size"),
    ALLOCATED_WRONG("a file holds a different number of bytes than it says", "corrects the number"),
    HISTORY_WRONG("a past version ends before it begins", "removes the version"),
    HISTORY_OVERLAP("two versions of a row were current at the same time",
            "makes the later one begin where the earlier one ends"),
    ROWS_WITHOUT_INODE("bytes, a target, attributes or entries belong to a missing inode",
            "recreates the inode from them, in /lost+found if it has no name"),

    NAME_INVALID("an entry has an invalid name",
            "removes the name; a file without another name is moved to /lost+found"),
    ENTRY_WITHOUT_INODE("a name refers to a missing inode", "removes the name"),
    ENTRY_OUTSIDE_DIRECTORY("something other than a directory has entries",
            "removes the names; files without another name are moved to /lost+found"),
    DIRECTORY_NAMES("a directory has several names", "keeps one of them"),
    DIRECTORY_CYCLE("directories contain each other and cannot be reached",
            "moves one of them to /lost+found, with the others in it"),
    ORPHAN_WRONG("a file listed for removal is missing or has a name", "removes it from the list"),
    INODE_LOST("a file or directory has no name", "moves it to /lost+found"),
    LINKS_WRONG("the link count of an inode is wrong", "corrects the count"),
    PARENT_WRONG("a directory names the wrong parent", "corrects the parent"),
    KIND_WRONG("a name has another kind than its inode", "corrects the name"),

    BLOCK_ROW_MISSING("files use a block without a row", "recreates the row from the object, if that exists"),
    BLOCK_ROW_WRONG("the row of a block cannot be read, or contradicts itself",
            "recreates it from the object, if that exists"),
    BLOCK_DEAD_USED("a block listed for deletion is in use by files", "removes it from the list"),
    BLOCK_UNUSED("an unused block is not listed for deletion", "lists it for deletion"),
    USES_WRONG("the reference count of a block is wrong", "corrects the count"),
    DEAD_WRONG("a block listed for deletion is missing, or listed twice", "removes the row"),
    PACK_MISSING("blocks are in a pack without a row", "recreates the row"),
    PACK_COUNT_WRONG("the block count of a pack is wrong", "corrects the count"),
    DIRECTORY_COUNT_WRONG("the entry count of a directory is wrong", "corrects the count"),
    QUOTA_COUNT_WRONG("the usage of a directory with a quota, or of an owner, is wrong", "corrects the count"),
    USAGE_WRONG("the usage of the volume is wrong", "corrects the count"),
    DIRECTORIES_UNCOUNTED("an earlier volsh made the volume and did not count its directories: the number of files"
            + " is not shown", "counts them"),
    PART_MISSING("a store lacks its copy or shard of a block, which is still readable", "rebuilds it from the others"),
    PART_CORRUPT("a copy or shard of a block is corrupt, but the block is still readable",
            "rebuilds it from the others"),

    DATABASE_DAMAGED("the metadata file is corrupt: its pages are inconsistent", null),
    INLINE_MISSING("the bytes of a small file are missing", null),
    TARGET_MISSING("a symbolic link has no target", null),
    EXTENT_PAST_BLOCK("a file uses bytes beyond the end of a block", null),
    OBJECT_MISSING("a block is missing from the store", null),
    OBJECT_SIZE_WRONG("a block in the store has the wrong length", null),
    OBJECT_CORRUPT("a block does not match its checksums, or is another block", null),
    IMPORT_CHANGED("an imported object is no longer in its bucket as it was imported", null),
    PLACE_WRONG("a block is placed outside of its pack", null),
    STORE_AWAY("a store does not respond or does not belong to the volume: its content was not checked", null),
    JOURNAL_UNREADABLE("the row of a journal cannot be read", null),
    UNKNOWN_ROW("a row has a kind unknown to this volsh", null),
    OBJECT_UNUSED("an object in the store is unused", null),
    PUT_CUT_OFF("a process was killed while storing an object: the remains in the store are unused", null);

    private final String meaning;
    private final @Nullable String repair;

    Damage(String meaning, @Nullable String repair) {
        this.meaning = meaning;
        this.repair = repair;
    }

    /** A description of the problem. */
    public String meaning() {
        return meaning;
    }

    /** Whether it can be repaired without the lost bytes. */
    public boolean isRepairable() {
        return repair != null;
    }

    /** What a repair does. */
    public String repair() {
        return switch (this) {
            case DATABASE_DAMAGED -> "nothing, and nothing else is repaired: restore the volume from its shipped "
                    + "metadata, a dump or a backup of the file";
            case STORE_AWAY -> "nothing: make the store available again; if it is lost, run 'volsh heal' with an empty "
                    + "one in its place";
            case UNKNOWN_ROW -> "nothing: a newer volsh may have written it";
            case IMPORT_CHANGED -> "nothing: 'volsh import --refresh' makes the files follow the bucket";
            case OBJECT_UNUSED, PUT_CUT_OFF -> "nothing: it only takes space, which 'volsh volume gc' reclaims";
            default -> repair != null ? repair : "nothing: bytes are lost; restore or remove the files named here";
        };
    }

    /** Whether nothing is lost or in danger. */
    public boolean isHarmless() {
        return this == OBJECT_UNUSED || this == PUT_CUT_OFF || this == DIRECTORIES_UNCOUNTED;
    }

    /** Whether it concerns the stores of a volume with several, while the metadata is right. */
    public boolean isOfParts() {
        return this == PART_MISSING || this == PART_CORRUPT || this == STORE_AWAY;
    }

    /** Whether it concerns the files of a database or the catalog: a pass over rows does not find it. */
    public boolean isOfFiles() {
        return this == LOG_DAMAGED || this == DATABASE_DAMAGED || this == RECORD_UNREADABLE;
    }

    /** As shown by commands: {@code links-wrong}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
