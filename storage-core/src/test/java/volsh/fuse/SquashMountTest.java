package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.vfs.TestVolume;

/** Squashed users may do what the anonymous user may do on a local disk. */
@Tag("mount")
final class SquashMountTest {
    /**
     * Random calls: some by root, in the first directory, and some by the user of the third argument, in the second
     * one; prints what came of each.
     */
    private static final String RANDOM_CALLS = """
            import os, random, stat, sys
            admin, tried_in, user = sys.argv[1], sys.argv[2], int(sys.argv[3])
            rnd = random.Random(int(sys.argv[4]))
            names = ['a', 'b', 'd', 'd/a', 'd/b', 'd/e', 'd/e/a']
            owners = [0, 65534, 4321]   # of hard links the kernel asks fs.protected_hardlinks
            def made(path, mode): os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
            def opened(path, flags): os.close(os.open(path, flags | os.O_NONBLOCK))
            def attempt(directory, uid, call, arguments):
                read, write = os.pipe()
                child = os.fork()
                if child == 0:
                    os.umask(0o22)
                    os.chdir(directory)
                    if uid:
                        os.setgroups([]); os.setgid(uid); os.setuid(uid)
                    try:
                        call(*arguments)
                        said = 'done'
                    except OSError as e:
                        said = str(e)
                    os.write(write, said.encode())
                    os._exit(0)
                os.close(write)
                said = os.read(read, 100).decode()
                os.close(read); os.waitpid(child, 0)
                return said
            for step in range(int(sys.argv[5])):
                path = rnd.choice(names)
                mode = rnd.choice([0o777, 0o666, 0o640, 0o600, 0o751, 0o1777, 0o755, 0o700])
                calls = [
                    (made, (path, mode & 0o777)), (os.mkdir, (path, mode & 0o777)), (os.mkdir, (path, 0o777)),
                    (os.chmod, (path, mode)), (opened, (path, os.O_RDONLY)), (opened, (path, os.O_RDWR)),
                    (opened, (path, os.O_WRONLY | os.O_TRUNC)), (os.truncate, (path, 3)), (os.listdir, (path,)),
                    (os.stat, (path,)), (os.unlink, (path,)), (os.rmdir, (path,)), (os.rename, (path, rnd.choice(names))),
                    (os.symlink, ('x', path)), (os.utime, (path,)),
                    (os.utime, (path, (5, 5))), (os.setxattr, (path, 'user.x', b'1')), (os.getxattr, (path, 'user.x')),
                    (os.setxattr, (path, 'trusted.x', b'1')), (os.getxattr, (path, 'trusted.x')),
                    (os.mknod, (path, stat.S_IFCHR | 0o666, 0x103)),
                    (os.chown, (path, rnd.choice(owners), rnd.choice(owners)))]
                if rnd.randrange(3) == 0:
                    directory, uid = admin, 0
                    call, arguments = rnd.choice(calls[:4] + calls[-1:] + [(os.chown, (path, 65534, 65534))])
                else:
                    directory, uid = tried_in, user
                    call, arguments = rnd.choice(calls)
                said = attempt(directory, uid, call, arguments)
                if said != 'done':
                    said = 'refused'   # of two reasons the kernel finds another one first
                print(step, 'root' if directory == admin and uid == 0 else 'user', call.__name__, arguments, said)
            os.chdir(admin)
            for directory, below, files in sorted(os.walk('.')):
                for name in sorted(below + files):
                    path = os.path.join(directory, name)
                    found = os.lstat(path)
                    print(path, oct(found.st_mode), found.st_uid, found.st_gid, found.st_nlink)
            """;

    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private final MemoryBlockStore store = new MemoryBlockStore();
    private MetaEngine engine;
    private TestVolume volume;
    private TestMount mount;

    @BeforeEach
    void mount() throws IOException {
        engine = SqliteMetaEngine.create(temporary.resolve("meta.db"));
        volume = TestVolume.open(engine, store, new ChunkSettings(64 << 10, 4096, 4 << 20), executor,
                InstantSource.system());
        mount = mount(new MountFlag[0]);
    }

    private TestMount mount(MountFlag... flags) throws IOException {
        return TestMount.of(volume.vfs(), temporary, InstantSource.system(),
                usual -> usual.with(flags).withTimeout(Duration.ZERO));
    }

    @AfterEach
    void unmount() throws IOException {
        mount.close();
        assertThat(volume.audit()).isEmpty();
        volume.close();
        engine.close();
        executor.shutdown();
    }

    @Test
    void rootIsAnonymous() throws Exception {
        compare(MountFlag.ROOT_SQUASH, 0);
    }

    @Test
    void everyUserIsAnonymous() throws Exception {
        compare(MountFlag.ALL_SQUASH, 4321);
    }

    /** The answers for this user on a mount that squashes are those for user 65534 on the disk. */
    private void compare(MountFlag flag, int user) throws Exception {
        var disk = Files.createDirectory(temporary.resolve("disk"));
        var script = Files.writeString(temporary.resolve("calls.py"), RANDOM_CALLS);
        try (var squashing = mount(flag)) {
            for (int round = 0; round < (Boolean.getBoolean("volsh.long") ? 100 : 3); round++) {
                String seed = Long.toString(Long.getLong("volsh.seed", System.nanoTime() % 1_000_000));
                System.out.println("seed " + seed);
                String name = "r" + round;
                var here = Files.createDirectory(mount.directory().resolve(name));
                var there = Files.createDirectory(disk.resolve(name));
                for (var each : new Path[] {here, there}) {
                    Programs.run(each, "chmod", "777", ".");
                }
                Programs.run(disk, "chmod", "755", disk.toString(), temporary.toString());
                String expected = calls(script, there, there, 65534, seed);
                assertThat(calls(script, here, squashing.directory().resolve(name), user, seed)).as("seed " + seed)
                        .isEqualTo(expected);
                assertThat(expected).containsPattern("user .* done").containsPattern("user .* refused");
            }
        }
    }

    private static String calls(Path script, Path admin, Path tried, int user, String seed) throws Exception {
        return Programs.run(admin, "python3", script.toString(), admin.toString(), tried.toString(),
                Integer.toString(user), seed, "300");
    }

    /** What squashed users make is owned by 65534, and what root owns stays closed to root. */
    @Test
    void whatRootMakesIsOwnedByTheAnonymousUser() throws Exception {
        Programs.shell(mount.directory(), "chmod 777 .; echo secret >private; chmod 600 private");
        try (var squashing = mount(MountFlag.ROOT_SQUASH)) {
            assertThat(Programs.shell(squashing.directory(), """
                    touch f; mkdir d; ln -s f l; stat -c '%n %u:%g' f d l
                    cat private 2>&1 || true
                    chown 0:0 f 2>&1 || true
                    """)).contains("f 65534:65534", "d 65534:65534", "l 65534:65534", "private: Permission denied",
                    "'f': Operation not permitted");
            assertThat(Programs.run(squashing.directory(), "setpriv", "--reuid", "4321", "--regid", "4321",
                    "--clear-groups", "sh", "-c", "echo mine >g; stat -c %u:%g g")).isEqualTo("4321:4321\n");
        }
    }
}
