package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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

/** Access control lists on a mount with {@code --acl}: those of setfacl and getfacl, enforced by the kernel. */
@Tag("mount")
final class AccessListMountTest {
    /** The same random calls, by root and by others, in whatever directory this runs; prints what came of each. */
    private static final String RANDOM_CALLS = """
            import errno, os, random, stat, struct, subprocess, sys
            rnd = random.Random(int(sys.argv[1]))
            names = ['a', 'b', 'd', 'd/a', 'd/b', 'd/e', 'd/e/a', 'd/e/b']
            users = [0, 4321, 4322]
            groups = [0, 4331, 4332]
            def bits(): return rnd.randrange(8)
            def acl(short):
                entries = [(1, bits(), -1)]
                if not short:
                    entries += [(2, bits(), user) for user in sorted(rnd.sample(users[1:], rnd.randrange(3)))]
                entries += [(4, bits(), -1)]
                if not short:
                    entries += [(8, bits(), group) for group in sorted(rnd.sample(groups[1:], rnd.randrange(3)))]
                    entries += [(16, bits(), -1)]
                entries += [(32, bits(), -1)]
                return struct.pack('<I', 2) + b''.join(struct.pack('<HHi', *each) for each in entries)
            def tried(call, *arguments, **more):
                try:
                    call(*arguments, **more)
                    return 'done'
                except OSError as e:
                    return errno.errorcode[e.errno]
            def attempt(user, group, others, umask, call, arguments):
                read, write = os.pipe()
                child = os.fork()
                if child == 0:
                    os.umask(umask)
                    os.setgroups(others); os.setgid(group); os.setuid(user)
                    os.write(write, tried(call, *arguments).encode())
                    os._exit(0)
                os.close(write)
                said = os.read(read, 100).decode()
                os.close(read); os.waitpid(child, 0)
                return said
            def made(path, mode): os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
            def opened(path, flags): os.close(os.open(path, flags))
            for step in range(int(sys.argv[2])):
                path = rnd.choice(names)
                mode = rnd.choice([0o777, 0o666, 0o640, 0o600, 0o751, 0o2775, 0o2644])
                kind = rnd.choice(['system.posix_acl_access', 'system.posix_acl_access', 'system.posix_acl_default'])
                call, arguments = rnd.choice([
                    (made, (path, mode & 0o777)), (made, (path, mode & 0o777)), (os.mkdir, (path, mode & 0o777)),
                    (os.chmod, (path, mode)), (os.chown, (path, rnd.choice(users), rnd.choice(groups))),
                    (os.setxattr, (path, kind, acl(rnd.randrange(4) == 0))), (os.setxattr, (path, kind, acl(False))),
                    (os.setxattr, (path, kind, acl(False)[:-8])), (os.removexattr, (path, kind)),
                    (opened, (path, os.O_RDONLY | os.O_NONBLOCK)), (opened, (path, os.O_WRONLY | os.O_NONBLOCK)), (os.listdir, (path,)),
                    (os.stat, (path,)), (os.access, (path, os.X_OK)), (os.unlink, (path,)),
                    (os.rename, (path, rnd.choice(names))), (os.mknod, (path, stat.S_IFIFO | mode & 0o777))])
                user = rnd.choice(users)
                said = attempt(user, rnd.choice(groups), rnd.sample(groups[1:], rnd.randrange(3)),
                               rnd.choice([0, 0o22, 0o77]), call, arguments)
                print(step, user, call.__name__, arguments, said)
            for directory, below, files in sorted(os.walk('.')):
                for name in sorted(below + files):
                    path = os.path.join(directory, name)
                    print(path, oct(os.lstat(path).st_mode), os.lstat(path).st_uid, os.lstat(path).st_gid)
                    for kind in 'access', 'default':
                        try:
                            print(kind, os.getxattr(path, 'system.posix_acl_' + kind).hex())
                        except OSError as e:
                            print(kind, errno.errorcode[e.errno])
                    print(sorted(os.listxattr(path)))
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
        mount = mountAgain(Duration.ofSeconds(1));
    }

    private TestMount mountAgain(Duration timeout) throws IOException {
        return TestMount.of(volume.vfs(), temporary, InstantSource.system(),
                usual -> usual.with(MountFlag.ACCESS_LISTS).withTimeout(timeout));
    }

    @AfterEach
    void unmount() throws IOException {
        mount.close();
        assertThat(volume.audit()).isEmpty();
        volume.close();
        engine.close();
        executor.shutdown();
    }

    private String shell(String lines) throws Exception {
        return Programs.shell(mount.directory(), lines).strip();
    }

    @Test
    void listsAreSetShownAndKeptByPrograms() throws Exception {
        assumeTrue(Programs.isThere("setfacl"), "setfacl is missing");
        assertThat(shell("""
                mkdir d; setfacl -m u:4321:rwx,d:u:4321:rw,d:g:4331:r d
                echo x >d/f; chmod 640 d/f; cp -a d copy
                getfacl -nc d/f; getfacl -n copy | grep default:; getfacl -nc copy/f | md5sum; getfacl -nc d/f | md5sum
                setfacl -b d/f; getfacl -nc d/f
                """)).containsPattern("user:4321:rw-\\s+#effective:r--").contains("mask::r--", "default:user:4321:rw-",
                "default:group:4331:r--");
        var sums = shell("getfacl -nc d/f | md5sum; setfacl -m u:4321:r d/f; cp -a d/f d/g;"
                + " getfacl -nc d/f | md5sum; getfacl -nc d/g | md5sum").lines().toList();
        assertThat(sums.get(1)).isEqualTo(sums.get(2)).isNotEqualTo(sums.get(0));
    }

    /** The answers of a file system of the kernel, and in the end the same lists and permissions. */
    @Test
    void theyBehaveLikeThoseOfTheDisk() throws Exception {
        var disk = Files.createDirectory(temporary.resolve("disk"));
        assumeTrue(supportsLists(disk), "the file system below the temp directory has no access control lists");
        var script = Files.writeString(temporary.resolve("calls.py"), RANDOM_CALLS);
        for (int round = 0; round < (Boolean.getBoolean("volsh.long") ? 200 : 4); round++) {
            long seed = Long.getLong("volsh.seed", System.nanoTime() % 1_000_000);
            System.out.println("seed " + seed);
            String here = Files.createDirectory(mount.directory().resolve("r" + round)).toString();
            var there = Files.createDirectory(disk.resolve("r" + round));
            assertThat(calls(Path.of(here), script, seed)).as("seed %d", seed).isEqualTo(calls(there, script, seed));
        }
    }

    private static boolean supportsLists(Path directory) throws Exception {
        return Programs.shell(directory, "python3 -c 'import os; print(os.listxattr(\".\"))' >/dev/null;"
                + " touch f; if setfacl -m u:1:r f 2>/dev/null; then echo yes; fi; rm f").contains("yes");
    }

    private static String calls(Path directory, Path script, long seed) throws Exception {
        Programs.run(directory, "chmod", "777", ".");
        return Programs.run(directory, "python3", script.toString(), Long.toString(seed), "250");
    }

    /** What one mount sets, another enforces after its time-out. */
    @Test
    void anotherMountEnforcesThem() throws Exception {
        try (var other = mountAgain(Duration.ZERO)) {
            shell("echo x >f; chmod 600 f; chmod 755 .");
            var read = new String[] {"setpriv", "--reuid", "4321", "--regid", "4331", "--clear-groups", "cat", "f"};
            assertThatThrownBy(() -> Programs.run(other.directory(), read)).hasMessageContaining("Permission denied");
            shell("setfacl -m u:4321:r f");
            assertThat(Programs.run(other.directory(), read)).isEqualTo("x\n");
            shell("chmod 600 f");
            assertThatThrownBy(() -> Programs.run(other.directory(), read)).hasMessageContaining("Permission denied");
        }
    }

    /** Without {@code --acl} a mount shows no lists, but permissions that are set there change them. */
    @Test
    void aMountWithoutListsKeepsThemInStep() throws Exception {
        shell("echo x >f; setfacl -m u:4321:rw f");
        try (var other = TestMount.of(volume.vfs(), temporary, InstantSource.system())) {
            assertThat(Programs.shell(other.directory(), "getfacl -nc f; chmod 640 f; setfacl -m u:1:r f 2>&1 || true"))
                    .doesNotContain("4321").contains("Operation not supported");
        }
        mount.close();
        mount = mountAgain(Duration.ofSeconds(1));
        assertThat(shell("getfacl -nc f")).contains("user:4321:rw-", "mask::r--");
    }
}
