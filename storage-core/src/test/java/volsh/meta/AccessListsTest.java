package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaEngine;
import volsh.fs.AccessList;
import volsh.fs.AttributeChange;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.NewFile;
import volsh.fs.Owner;
import volsh.fs.Umask;
import volsh.inventory.Superblock;
import volsh.vfs.ManualClock;

/** Access control lists and permissions say the same, and new files inherit the list of their directory. */
@OnEveryEngine
final class AccessListsTest {
    private static final byte[] ACCESS = AccessList.accessName();
    private static final byte[] DEFAULT = AccessList.defaultName();

    private final ManualClock clock = new ManualClock();
    private final MetaEngine engine;
    private Namespace names;

    AccessListsTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    @BeforeEach
    void format() throws IOException {
        var superblock = new Superblock(engine, clock);
        superblock.format(Owner.ROOT, 0755, "made", new byte[0]);
        names = new Namespace(engine, clock, superblock.sessions().open("test", 1, "test").id());
    }

    /** The owner, user 1000, the group, the mask and others. */
    private static byte[] list(int owner, int user, int group, int mask, int other) {
        return ByteBuffer.allocate(4 + 5 * 8).order(ByteOrder.LITTLE_ENDIAN).putInt(2)
                .putShort((short) 1).putShort((short) owner).putInt(-1).putShort((short) 2).putShort((short) user)
                .putInt(1000).putShort((short) 4).putShort((short) group).putInt(-1).putShort((short) 16)
                .putShort((short) mask).putInt(-1).putShort((short) 32).putShort((short) other).putInt(-1).array();
    }

    private static byte[] plain(int owner, int group, int other) {
        return ByteBuffer.allocate(4 + 3 * 8).order(ByteOrder.LITTLE_ENDIAN).putInt(2)
                .putShort((short) 1).putShort((short) owner).putInt(-1).putShort((short) 4).putShort((short) group)
                .putInt(-1).putShort((short) 32).putShort((short) other).putInt(-1).array();
    }

    private void set(long ino, byte[] name, byte[] value) throws IOException {
        names.extendedAttributes().set(ino, name, value, ExtendedAttributes.Mode.ALWAYS);
    }

    private byte[] get(long ino, byte[] name) throws IOException {
        return names.extendedAttributes().get(ino, name);
    }

    private long file(long parent, String name, int mode, int umask) throws IOException {
        return names.makeNode(parent, Name.of(name), FileKind.REGULAR, Umask.with(mode, umask), Owner.ROOT, 0).ino();
    }

    private long directory(long parent, String name, int mode, int umask) throws IOException {
        return names.makeDirectory(parent, Name.of(name), Umask.with(mode, umask), Owner.ROOT).ino();
    }

    private int mode(long ino) throws IOException {
        return names.attributes(ino).mode();
    }

    private static FsError refused(ThrowingCallable call) {
        return catchThrowableOfType(FsException.class, call).error();
    }

    @Test
    void aListSetsThePermissionsAndThePermissionsChangeTheList() throws IOException {
        long file = file(Namespace.ROOT, "f", 04644, 0);
        set(file, ACCESS, list(6, 7, 5, 6, 4));
        assertThat(mode(file)).isEqualTo(04664);
        names.change(file, AttributeChange.NONE.withMode(0640));
        assertThat(mode(file)).isEqualTo(0640);
        assertThat(get(file, ACCESS)).isEqualTo(list(6, 7, 5, 4, 0));
        set(file, ACCESS, plain(6, 6, 0));
        assertThat(mode(file)).isEqualTo(0660);
        assertThat(refused(() -> get(file, ACCESS))).isEqualTo(FsError.NO_DATA);
        names.extendedAttributes().remove(file, ACCESS);   // none is there, which is no error
        set(file, ACCESS, list(6, 7, 5, 6, 4));
        names.extendedAttributes().remove(file, ACCESS);
        assertThat(mode(file)).isEqualTo(0664);
        assertThat(names.extendedAttributes().list(file)).isEmpty();
    }

    @Test
    void whatIsMadeInADirectoryInheritsItsList() throws IOException {
        long top = directory(Namespace.ROOT, "top", 0777, 027);
        assertThat(mode(top)).as("the umask holds without a list").isEqualTo(0750);
        set(top, DEFAULT, list(7, 6, 5, 7, 4));
        assertThat(mode(top)).isEqualTo(0750);
        long file = file(top, "f", 0666, 077);
        assertThat(mode(file)).as("it does not with one").isEqualTo(0664);
        assertThat(get(file, ACCESS)).isEqualTo(list(6, 6, 5, 6, 4));
        assertThat(refused(() -> get(file, DEFAULT))).isEqualTo(FsError.NO_DATA);
        long below = directory(top, "d", 0700, 0);
        assertThat(get(below, ACCESS)).isEqualTo(list(7, 6, 5, 0, 0));
        assertThat(get(below, DEFAULT)).isEqualTo(list(7, 6, 5, 7, 4));
        long deep = file(below, "g", 0600, 0);
        assertThat(get(deep, ACCESS)).isEqualTo(list(6, 6, 5, 0, 0));
        long unnamed = names.makeUnnamed(top, Umask.with(0666, 077), Owner.ROOT).ino();
        assertThat(mode(unnamed)).isEqualTo(0664);
        assertThat(get(unnamed, ACCESS)).isEqualTo(list(6, 6, 5, 6, 4));
        long link = names.makeSymlink(top, Name.of("l"), new byte[] {'f'}, Owner.ROOT).ino();
        assertThat(mode(link)).isEqualTo(0777);
        assertThat(names.extendedAttributes().list(link)).isEmpty();
        names.createAll(List.of(new NewFile(top, Name.of("whole"), 0640, Owner.ROOT, NewFile.NOW, NewFile.NOW,
                Optional.of(new byte[3]), Optional.empty(), false, Optional.empty())), Optional.empty());
        long whole = names.lookup(top, Name.of("whole")).ino();
        assertThat(mode(whole)).isEqualTo(0640);
        assertThat(get(whole, ACCESS)).isEqualTo(list(6, 6, 5, 4, 0));
        names.extendedAttributes().remove(top, DEFAULT);
        assertThat(mode(file(top, "h", 0666, 022))).isEqualTo(0644);
    }

    /** Three entries are inherited as permissions, without a list of the file's own. */
    @Test
    void aShortListIsInheritedAsPermissions() throws IOException {
        long top = directory(Namespace.ROOT, "top", 0755, 0);
        set(top, DEFAULT, plain(7, 5, 0));
        long file = file(top, "f", 0666, 0);
        assertThat(mode(file)).isEqualTo(0640);
        assertThat(names.extendedAttributes().list(file)).isEmpty();
    }

    @Test
    void listsThatCannotBeAreRefused() throws IOException {
        long file = file(Namespace.ROOT, "f", 0644, 0);
        long link = names.makeSymlink(Namespace.ROOT, Name.of("l"), new byte[] {'f'}, Owner.ROOT).ino();
        assertThat(refused(() -> set(file, DEFAULT, plain(7, 5, 0)))).isEqualTo(FsError.ACCESS);
        assertThat(refused(() -> set(link, ACCESS, plain(7, 5, 0)))).isEqualTo(FsError.NOT_SUPPORTED);
        assertThat(refused(() -> set(file, ACCESS, new byte[] {1, 2, 3}))).isEqualTo(FsError.INVALID);
        assertThat(mode(file)).isEqualTo(0644);
    }
}
