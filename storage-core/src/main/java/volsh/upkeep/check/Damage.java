package volsh.upkeep.check;

import java.util.Locale;

/**
 * What can be wrong with a volume. The names are for scripts and never change; {@link #meaning} is for people, and so is what
 * a repair does about it. A repair works in the order of this list.
 */
public enum Damage {
    LOG_DAMAGED("the log of the metadata is damaged, and changes that were committed behind the damage are lost",
            "a copy of the log is kept, and the volume goes on with what was committed before the damage"),
    RECORD_UNREADABLE("the record of the volume in its metadata cannot be read", "it is made again from the catalog"),
    SESSION_UNREADABLE("a row of somebody who has the volume open cannot be read", "the row is removed: whoever it was is fenced"),
    ROW_UNREADABLE("a row cannot be read", "the row is taken out; what depends on it is rebuilt or goes to /lost+found"),
    BYTES_UNREADABLE("a row with bytes of a file, or that says where they are, cannot be read",
            "the row is taken out: the file stays, and reading what is lost of it is an error;"
                    + " restore the file, or remove it"),
    ROOT_MISSING("there is no root directory", "an empty one is made; what was in it is still below it"),
    TICK_BEHIND("the clock of the volume is behind what it has dated", "the clock is set to the latest"),
    NUMBER_BEHIND("a number that is in use would be given out again", "the counter is set behind it"),
    PINS_WRONG("the retained ticks are not in order", "they are sorted"),

    EXTENT_IMPOSSIBLE("an extent has no length, or begins before its file or block", "the extent is taken out: where it was, the file reads as zeros"),
    EXTENT_OVERLAP("two extents of a file claim the same bytes", "the one that was written later counts, of the other stays what it alone has"),
    ROW_MISPLACED("something that is no file has bytes, or no link a target", "bytes become a file in /lost+found, a target is taken out"),
    INLINE_UNEXPECTED("a file has bytes in its row and says it has none there", "without extents they are the file's, else they become a file in /lost+found"),
    STORAGE_WRONG("a file has extents and says it has none", "the file says so again"),
    SIZE_WRONG("a file has bytes behind its end, or a link another length than its target", "the size is set to what is there"),
    ALLOCATED_WRONG("a file holds another number of bytes than it says", "the number is set"),
    HISTORY_WRONG("a past version ends before it begins", "the version is taken out"),
    HISTORY_OVERLAP("two versions of a row were current at the same time", "the later one begins where the earlier one ends"),
    ROWS_WITHOUT_INODE("bytes, a target, attributes or entries belong to an inode that is not there", "the inode is made again from them; without a name it goes to /lost+found"),

    NAME_INVALID("an entry has a name that no file can have", "the name is removed; without another one the file goes to /lost+found"),
    ENTRY_WITHOUT_INODE("a name leads to an inode that is not there", "the name is removed"),
    ENTRY_OUTSIDE_DIRECTORY("something that is no directory has entries", "the names are removed; files without another one go to /lost+found"),
    DIRECTORY_NAMES("a directory has several names", "one of them stays"),
    DIRECTORY_CYCLE("directories lie in each other and cannot be reached", "one of them goes to /lost+found, with the others in it"),
    ORPHAN_WRONG("a file waits to be removed that is not there or has a name", "it waits no longer"),
    INODE_LOST("a file or directory has no name", "it goes to /lost+found"),
    LINKS_WRONG("an inode counts other names than it has", "the count is set"),
    PARENT_WRONG("a directory lies in another one than it says", "it says where it lies"),
    KIND_WRONG("a name says another kind than the inode it leads to", "the name says what is there"),

    BLOCK_ROW_MISSING("files have bytes in a block of which nothing is known", "its row is made again from the object, if that is there"),
    BLOCK_ROW_WRONG("the row of a block cannot be read, or contradicts itself",
            "it is made again from the object, if that is there"),
    BLOCK_DEAD_USED("a block waits to be deleted, and files have bytes in it", "it waits no longer"),
    BLOCK_UNUSED("a block is named by nothing and does not wait to be deleted", "it waits to be deleted"),
    USES_WRONG("a block counts other rows than name it", "the count is set"),
    DEAD_WRONG("a block waits to be deleted that is not there, or waits twice", "the row is removed"),
    PACK_MISSING("blocks lie in a pack of which nothing is known", "its row is made again"),
    PACK_COUNT_WRONG("a pack counts other blocks than lie in it", "the count is set"),
    DIRECTORY_COUNT_WRONG("a directory counts other entries than it has", "the count is set"),
    QUOTA_COUNT_WRONG("a directory with a quota, or an owner, counts other bytes or inodes than it has", "the count is set"),
    USAGE_WRONG("the volume counts other bytes or inodes than it has", "the count is set"),
    PART_MISSING("a store lacks its copy or shard of a block, which can be read without", "it is made anew from the others"),
    PART_CORRUPT("a copy or shard of a block is damaged, which can be read without", "it is made anew from the others"),

    DATABASE_DAMAGED("the file of the metadata is damaged: its pages do not fit together", null),
    INLINE_MISSING("the bytes of a small file are not there", null),
    TARGET_MISSING("a symbolic link has no target", null),
    EXTENT_PAST_BLOCK("a file has bytes in a block that is shorter", null),
    OBJECT_MISSING("a block is not in the store", null),
    OBJECT_SIZE_WRONG("a block has another length in the store than its row says", null),
    OBJECT_CORRUPT("a block does not pass its checksums, or is another block", null),
    PLACE_WRONG("a block should lie in a pack where there is no room for it", null),
    STORE_AWAY("a store does not answer or is not marked as the volume's: what should be there was not looked at", null),
    JOURNAL_UNREADABLE("a row that says where blocks wait cannot be read", null),
    UNKNOWN_ROW("a row is of a kind that this program does not know", null),
    OBJECT_UNUSED("an object in the store belongs to nothing", null),
    PUT_CUT_OFF("a process was killed while it stored something: what it left in the store belongs to nothing", null);

    private final String meaning;
    private final String repair;

    Damage(String meaning, String repair) {
        this.meaning = meaning;
        this.repair = repair;
    }

    /** What is wrong. */
    public String meaning() {
        return meaning;
    }

    /** Can it be made right without the bytes that are gone? */
    public boolean isRepairable() {
        return repair != null;
    }

    /** What a repair does. */
    public String repair() {
        return switch (this) {
            case DATABASE_DAMAGED -> "nothing, and nothing else is repaired: restore the volume from its shipped metadata, a dump or a copy of the file";
            case STORE_AWAY -> "nothing: bring it back; if it is lost for good, 'volsh heal' fills an empty one in its place";
            case UNKNOWN_ROW -> "nothing: a newer volsh may have written it";
            case OBJECT_UNUSED, PUT_CUT_OFF -> "nothing: it is only space, which 'volsh volume gc' gives back";
            default -> repair != null ? repair : "nothing: bytes are gone; restore the files that are named, or remove them";
        };
    }

    /** Nothing is lost or in danger: it only takes space. */
    public boolean isHarmless() {
        return this == OBJECT_UNUSED || this == PUT_CUT_OFF;
    }

    /** It is about stores and what they have, of a volume that has several; the metadata are right. */
    public boolean isOfParts() {
        return this == PART_MISSING || this == PART_CORRUPT || this == STORE_AWAY;
    }

    /** It is about the files of a database or about the catalog: a look at rows does not find it. */
    public boolean isOfFiles() {
        return this == LOG_DAMAGED || this == DATABASE_DAMAGED || this == RECORD_UNREADABLE;
    }

    /** As commands show it: {@code links-wrong}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
