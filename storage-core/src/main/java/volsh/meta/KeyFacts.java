package volsh.meta;

import java.util.List;
import java.util.OptionalLong;

/** What the key schema says about a key to those who move rows without understanding them. */
public final class KeyFacts {
    /** The first byte of every key of the change log. */
    public static final byte CHANGE_LOG = 'w';

    /** The keys of {@link Reach#LATER}. */
    public static final List<MetaKey> LATER = List.of(Keys.TICK, Keys.NEXT_SESSION);

    private static final MetaKey SOLE_WRITER = Keys.setting("sole-writer");

    private KeyFacts() {}

    /** How far a row matters, should the volume be rebuilt on another machine. */
    public enum Reach {
        /** Not beyond this one: who has the volume open, locks, and the change log itself. */
        HERE,
        /** Beyond it, but a change of it alone is not worth telling: the clock, the number of the next session. */
        LATER,
        /** Wherever the volume is. */
        EVERYWHERE
    }

    public static Reach reach(MetaKey key) {
        return switch (key.bytes()[0]) {
            case 's', 'f', CHANGE_LOG -> Reach.HERE;
            case 'v' -> key.equals(SOLE_WRITER) ? Reach.HERE : Reach.EVERYWHERE;
            case 't', 'c' -> LATER.contains(key) ? Reach.LATER : Reach.EVERYWHERE;
            default -> Reach.EVERYWHERE;
        };
    }

    static boolean isChangeLog(MetaKey key) {
        return key.bytes()[0] == CHANGE_LOG;
    }

    /** The inode whose attributes, bytes, link target or extended attributes the row holds. */
    public static OptionalLong inode(MetaKey key) {
        return switch (key.bytes()[0]) {
            case 'A', 'D', 'L', 'N', 'X' -> OptionalLong.of(Keys.number(key, 0));
            default -> OptionalLong.empty();
        };
    }

    /** The block of which the row says in which object it lies. */
    public static OptionalLong placedBlock(MetaKey key) {
        return key.bytes()[0] == 'l' ? OptionalLong.of(Keys.number(key, 0)) : OptionalLong.empty();
    }

    /** Where a setting of the volume is kept. */
    public static MetaKey setting(String name) {
        return Keys.setting(name);
    }
}
