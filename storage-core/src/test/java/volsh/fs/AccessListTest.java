package volsh.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Access control lists in the form of the kernel. */
final class AccessListTest {
    private static final int USER_OWNER = 1;
    private static final int USER = 2;
    private static final int GROUP_OWNER = 4;
    private static final int GROUP = 8;
    private static final int MASK = 16;
    private static final int OTHER = 32;

    /** Entries as tag, permissions and number, in turn. */
    static byte[] bytes(int... fields) {
        var out = ByteBuffer.allocate(4 + fields.length / 3 * 8).order(ByteOrder.LITTLE_ENDIAN).putInt(2);
        for (int i = 0; i < fields.length; i += 3) {
            out.putShort((short) fields[i]).putShort((short) fields[i + 1]).putInt(fields[i + 2]);
        }
        return out.array();
    }

    private static final byte[] NAMED = bytes(USER_OWNER, 7, -1, USER, 6, 1000, GROUP_OWNER, 5, -1, GROUP, 4, 50,
            MASK, 6, -1, OTHER, 1, -1);

    @Test
    void theMaskIsShownAsThePermissionsOfTheGroup() throws FsException {
        var list = AccessList.of(NAMED);
        assertThat(list.bytes()).isEqualTo(NAMED);
        assertThat(list.mode()).isEqualTo(0761);
        assertThat(list.isMode()).isFalse();
        assertThat(list.withMode(0640).mode()).isEqualTo(0640);
        assertThat(list.withMode(0640).bytes()).isEqualTo(bytes(USER_OWNER, 6, -1, USER, 6, 1000, GROUP_OWNER, 5,
                -1, GROUP, 4, 50, MASK, 4, -1, OTHER, 0, -1));
        assertThat(list.masked(0100644).mode()).isEqualTo(0640);
    }

    @Test
    void threeEntriesArePermissions() throws FsException {
        var list = AccessList.of(bytes(USER_OWNER, 6, -1, GROUP_OWNER, 4, -1, OTHER, 0, -1));
        assertThat(list.isMode()).isTrue();
        assertThat(list.mode()).isEqualTo(0640);
        assertThat(list.masked(0777).mode()).isEqualTo(0640);
        assertThat(AccessList.of(bytes()).isEmpty()).isTrue();
    }

    @Test
    void whatTheKernelRefusesIsRefused() {
        byte[] otherVersion = NAMED.clone();
        otherVersion[0] = 3;
        byte[][] wrong = {{}, {2, 0, 0}, otherVersion, java.util.Arrays.copyOf(NAMED, NAMED.length - 1),
                bytes(USER_OWNER, 7, -1), bytes(USER_OWNER, 7, -1, GROUP_OWNER, 7, -1),
                bytes(USER_OWNER, 7, -1, OTHER, 7, -1, GROUP_OWNER, 7, -1),
                bytes(USER_OWNER, 7, -1, USER, 7, 1, GROUP_OWNER, 7, -1, OTHER, 7, -1),
                bytes(USER_OWNER, 8, -1, GROUP_OWNER, 7, -1, OTHER, 7, -1),
                bytes(USER_OWNER, 7, -1, USER_OWNER, 7, -1, GROUP_OWNER, 7, -1, OTHER, 7, -1),
                bytes(USER_OWNER, 7, -1, GROUP_OWNER, 7, -1, OTHER, 7, -1, 64, 7, -1),
                bytes(USER_OWNER, 7, -1, 3, 7, -1, GROUP_OWNER, 7, -1, OTHER, 7, -1)};
        for (byte[] each : wrong) {
            assertThatThrownBy(() -> AccessList.of(each)).isInstanceOfSatisfying(FsException.class,
                    refused -> assertThat(refused.error()).isEqualTo(FsError.INVALID));
        }
    }

    @Test
    void garbageIsRefusedOrWrittenBackAsItWas() {
        var random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            byte[] garbage = NAMED.clone();
            for (int change = random.nextInt(4); change >= 0; change--) {
                garbage[random.nextInt(garbage.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                assertThat(AccessList.of(garbage).bytes()).isEqualTo(garbage);
            } catch (FsException refused) {
                assertThat(refused.error()).isEqualTo(FsError.INVALID);
            }
        }
    }
}
