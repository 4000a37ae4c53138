package volsh.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.place.Layout;

/** What a volume on several stores can still take. */
@Tag("volume")
final class VolumeSpaceTest {
    private static OptionalLong room(String layout, long... disks) {
        var room = new VolumeSpace(Layout.of(layout));
        for (int i = 0; i < disks.length; i++) {
            room.add("disk " + i, disks[i]);
        }
        return room.bytes();
    }

    @Test
    void alikeStoresAddUp() {
        assertThat(room("stripe:all", 100, 100, 100, 100)).hasValue(400);
        assertThat(room("mirror:2", 100, 100, 100, 100)).hasValue(200);
        assertThat(room("ec:4+2", 60, 60, 60, 60, 60, 60)).hasValue(240);
    }

    @Test
    void theFullestIsTheEnd() {
        assertThat(room("stripe:all", 100, 100, 100, 10)).hasValue(40);
        assertThat(room("mirror:2", 100, 0)).hasValue(0);
    }

    @Test
    void storesOnOneDiskShareIt() {
        var room = new VolumeSpace(Layout.of("mirror:2"));
        room.add("one", 100);
        room.add("one", 100);
        assertThat(room.bytes()).hasValue(50);
        room.addBoundless();
        assertThat(room.bytes()).hasValue(75);
    }

    @Test
    void bucketsAreNeverFull() {
        var room = new VolumeSpace(Layout.of("stripe:all"));
        room.addBoundless();
        assertThat(room.bytes()).isEmpty();
    }
}
