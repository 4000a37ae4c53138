package volsh.fuse.kernel;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.fs.OtherWriters;

/** What a mount that is alone grants. */
@Tag("mount")
class LoneCachingTest {
    private final LoneCaching lone = new LoneCaching(OtherWriters.UNKNOWN, new Outbox(-1), 1);

    @Test
    void onlySoManyInodesAreRememberedForLong() {
        int inodes = LoneCaching.INODES_MAX + 2;
        int granted = 0;
        for (long ino = 1; ino <= inodes; ino++) {
            granted += lone.grants(ino) ? 1 : 0;
        }
        assertTrue(granted < inodes);
        assertTrue(lone.grants(1));
        assertFalse(lone.grants(inodes));
        lone.forgotten(1);
        lone.forgotten(2);
        lone.forgotten(3);
        assertTrue(lone.grants(inodes));
    }

    @Test
    void aMountThatIsNotAloneGrantsNothing() {
        assertFalse(lone.reply());
    }
}
