package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reading directories, small, large and changing. */
public interface ListingContract extends PosixContract {
    /** Entries of a large directory. */
    default int many() {
        return 10_000;
    }

    private List<String> rest(Posix.Directory directory, int count) throws Exception {
        var names = new ArrayList<String>();
        for (String name = ""; names.size() < count && (name = directory.read()) != null; ) {
            names.add(name);
        }
        return names;
    }

    @Test
    default void anEmptyDirectoryListsNothing() throws Exception {
        assertThat(fs().list("/")).isEmpty();
        fs().mkdir("/d", 0755);
        assertThat(fs().list("/d")).isEmpty();
    }

    /** Every entry that lasts is seen exactly once, while others come and go before and behind the reader. */
    @Test
    default void listingIsStableWhileTheDirectoryChanges() throws Exception {
        fs().mkdir("/d", 0755);
        var lasting = new ArrayList<String>();
        for (int i = 0; i < many(); i++) {
            var name = "e%05d".formatted(i);
            fs().mknod("/d/" + name, manyOf(), 0600, 0);
            if (i % 3 != 0) {
                lasting.add(name);
            }
        }
        var seen = new ArrayList<String>();
        try (var directory = fs().opendir("/d")) {
            for (int i = 0; ; i++) {
                var some = rest(directory, 37);
                if (some.isEmpty()) {
                    break;
                }
                seen.addAll(some);
                change(i * 111);
            }
        }
        assertThat(new HashSet<>(seen)).as("no name twice").hasSize(seen.size());
        assertThat(seen).containsAll(lasting);
    }

    /** Removes some that do not last, adds some, all over the directory. */
    private void change(int at) throws Exception {
        for (int i = at; i < at + 111 && i < many(); i++) {
            if (i % 3 == 0) {
                fs().unlink("/d/e%05d".formatted(i));
            }
        }
        fs().mknod("/d/a%05d".formatted(at), manyOf(), 0600, 0);
        fs().mknod("/d/e%05dx".formatted(Math.floorMod(many() - at - 1, many())), manyOf(), 0600, 0);
    }

    @Test
    default void aSecondReadingShowsTheDirectoryAsItIsThen() throws Exception {
        fs().mkdir("/d", 0755);
        int count = Math.min(many(), 500);
        for (int i = 0; i < count; i++) {
            fs().mknod("/d/e%03d".formatted(i), manyOf(), 0600, 0);
        }
        try (var directory = fs().opendir("/d")) {
            assertThat(rest(directory, 1_000)).hasSize(count).doesNotHaveDuplicates();
            for (int i = 0; i < 70; i++) {
                fs().unlink("/d/e%03d".formatted(i));
            }
            for (int i = 0; i < 5; i++) {
                fs().mknod("/d/a%03d".formatted(i), manyOf(), 0600, 0);
            }
            directory.rewind();
            assertThat(rest(directory, 1_000)).hasSize(count - 65).doesNotHaveDuplicates();
        }
    }

    /** What {@code rm -r} does. */
    @Test
    default void everythingListedCanBeRemovedWhileListing() throws Exception {
        fs().mkdir("/d", 0755);
        for (int i = 0; i < Math.min(many(), 1000); i++) {
            fs().mknod("/d/e%03d".formatted(i), manyOf(), 0600, 0);
        }
        try (var directory = fs().opendir("/d")) {
            for (String name = directory.read(); name != null; name = directory.read()) {
                fs().unlink("/d/" + name);
            }
        }
        fs().rmdir("/d");
    }

    @Test
    default void aDirectoryOfDirectories() throws Exception {
        int count = Math.min(many(), 300);
        for (int i = 0; i < count; i++) {
            fs().mkdir("/d%03d".formatted(i), 0755);
        }
        assertThat(fs().list("/")).hasSize(count);
        assertThat(fs().stat("/").links()).isEqualTo(links(count));
    }
}
