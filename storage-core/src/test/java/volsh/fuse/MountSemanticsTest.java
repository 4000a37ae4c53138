package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
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

/**
 * What docs/SEMANTICS.md says of mounts beyond POSIX: what is refused, what stays on this mount, what is done without
 * copying.
 */
@Tag("mount")
final class MountSemanticsTest {
    private static final String PYTHON = """
            import ctypes, errno, fcntl, mmap, os, signal, struct, subprocess, sys, time
            libc = ctypes.CDLL(None, use_errno=True)
            def refused(call, *arguments):
                try:
                    call(*arguments)
                    return 'done'
                except OSError as e:
                    return errno.errorcode[e.errno]
            def fallocate(file, mode, offset, length):
                if libc.fallocate(file, mode, ctypes.c_long(offset), ctypes.c_long(length)) != 0:
                    raise OSError(ctypes.get_errno(), 'fallocate')
            """;

    private static final int IOCTL = 39;
    private static final int FALLOCATE = 43;

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
        volume = open();
        mount = TestMount.of(volume.vfs(), temporary, InstantSource.system());
    }

    private TestVolume open() throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(64 << 10, 4096, 4 << 20), executor,
                InstantSource.system());
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

    /** What a Python program prints that runs in the top directory. */
    private String python(String lines, String... arguments) throws Exception {
        var script = Files.writeString(Files.createTempFile(temporary, "script", ".py"), PYTHON + lines);
        var command = new ArrayList<>(List.of("python3", script.toString()));
        command.addAll(List.of(arguments));
        return Programs.run(mount.directory(), command.toArray(String[]::new)).strip();
    }

    // ---- what is refused

    @Test
    void accessControlListsAreRefusedNotIgnored() throws Exception {
        assertThat(shell("echo x >f; mkdir d; "
                + "if setfacl -m u:4321:rw f 2>&1; then echo done; fi; if setfacl -d -m u:4321:rw d 2>&1; "
                + "then echo done; fi; getfacl -c f"))
                .contains("Operation not supported").doesNotContain("done").contains("user::rw-", "other::r--");
        assertThat(python("""
                acl = struct.pack('<IHHIHHIHHIHHIHHI', 2, 1, 6, 0xffffffff, 2, 6, 4321, 4, 4, 0xffffffff, 16, 6, 0xffffffff, 32, 4, 0xffffffff)
                print(refused(os.setxattr, 'f', 'system.posix_acl_access', acl), refused(os.setxattr, 'd', 'system.posix_acl_default', acl))
                """)).isEqualTo("ENOTSUP ENOTSUP");
    }

    @Test
    void extendedAttributesHaveTheirNameSpaces() throws Exception {
        assertThat(python("""
                open('f', 'w'); os.chmod('f', 0o666); os.symlink('f', 'l')
                for name in ('user.a', 'trusted.a', 'security.a'):
                    os.setxattr('f', name, name.encode())
                print(sorted(os.listxattr('f')), os.getxattr('f', 'trusted.a'))
                print(refused(os.setxattr, 'f', 'system.a', b''), refused(os.setxattr, 'f', 'other.a', b''), refused(os.setxattr, 'f', 'user.', b''))
                print(refused(lambda: os.setxattr('l', 'user.a', b'', follow_symlinks=False)), refused(lambda: os.setxattr('l', 'trusted.a', b'', follow_symlinks=False)))
                sys.stdout.flush()
                os.setgroups([]); os.setgid(4321); os.setuid(4321)
                print(sorted(os.listxattr('f')), refused(os.setxattr, 'f', 'trusted.b', b''), refused(os.getxattr, 'f', 'trusted.a'))
                """).lines()).containsExactly(
                "['security.a', 'trusted.a', 'user.a'] b'trusted.a'", "ENOTSUP ENOTSUP EINVAL", "EPERM done",
                "['security.a', 'user.a'] EPERM ENODATA");
    }

    @Test
    void aFileHasUpTo256ExtendedAttributes() throws Exception {
        assertThat(python("""
                open('f', 'w')
                for i in range(256): os.setxattr('f', 'user.%d' % i, b'v')
                print(refused(os.setxattr, 'f', 'user.more', b'v'), refused(os.setxattr, 'f', 'user.7', b'w'), len(os.listxattr('f')))
                os.removexattr('f', 'user.9'); print(refused(os.setxattr, 'f', 'user.more', b'v'), len(os.listxattr('f')))
                """).lines()).containsExactly("ENOSPC done 256", "done 256");
    }

    @Test
    void requestsOfOtherFileSystemsAreRefused() throws Exception {
        assertThat(python("""
                f = os.open('f', os.O_RDWR | os.O_CREAT); g = os.open('g', os.O_RDWR | os.O_CREAT)
                os.write(f, b'x' * 10000); os.mkdir('d'); d = os.open('d', os.O_RDONLY)
                def asked(file, number, argument):
                    return refused(fcntl.ioctl, file, number, argument)
                print('flags', *[asked(file, number, b'\\0' * 8) for file in (f, d) for number in (0x80086601, 0x40086602)])
                print('project', asked(f, 0x801c581f, b'\\0' * 28), asked(f, 0x401c5820, b'\\0' * 28))
                print('clone', asked(g, 0x40049409, f), asked(g, 0x4020940d, struct.pack('qQQQ', f, 0, 4096, 0)))
                print('fiemap', asked(f, 0xc020660b, struct.pack('QQIIII', 0, 1 << 40, 0, 0, 0, 0)))
                print('shutdown', asked(d, 0x8004587d, struct.pack('I', 0)), 'freeze', asked(d, 0xc0045877, 0), 'other', asked(f, 0x12345678, 0))
                def quota():
                    if libc.syscall(443, f, 0x80000500, 0, 0) != 0: raise OSError(ctypes.get_errno(), 'quotactl_fd')
                print('quota', refused(quota))
                def swap():
                    if libc.swapon(b'f', 0) != 0: raise OSError(ctypes.get_errno(), 'swapon')
                print('swap', refused(swap))
                """).lines()).containsExactly(
                "flags ENOTTY ENOTTY ENOTTY ENOTTY", "project ENOTTY ENOTTY", "clone ENOTSUP ENOTSUP", "fiemap ENOTSUP",
                "shutdown ENOTTY freeze ENOTSUP other ENOTTY", "quota ENOSYS", "swap EINVAL");
    }

    /** So nothing that we could do makes them work: no request of these reaches a FUSE file system. */
    @Test
    void theKernelRefusesWithoutAsking() throws Exception {
        assertThat(python("""
                f = os.open('f', os.O_RDWR | os.O_CREAT); g = os.open('g', os.O_RDWR | os.O_CREAT); os.write(f, b'x' * 200000)
                for mode in (2, 8, 32, 64): print(refused(fallocate, f, mode, 0, 65536))
                print(refused(fcntl.ioctl, g, 0x40049409, f), refused(fcntl.ioctl, g, 0x4020940d, struct.pack('qQQQ', f, 0, 65536, 0)))
                dedupe = struct.pack('QQHHI', 0, 65536, 1, 0, 0) + struct.pack('qQQiI', g, 0, 0, 0, 0)
                print(refused(fcntl.ioctl, f, 0xc0189436, dedupe))
                print(refused(fcntl.ioctl, f, 0xc020660b, struct.pack('QQIIII', 0, 1 << 40, 0, 0, 0, 0)))
                """)).isEqualToIgnoringWhitespace("ENOTSUP ".repeat(8));
        assertThat(mount.kernel().requests(FALLOCATE) + mount.kernel().requests(IOCTL)).isZero();
        python("fallocate(os.open('f', os.O_RDWR), 1, 0, 5); refused(fcntl.ioctl, os.open('f', os.O_RDONLY), "
                + "0x80086601, b'\\0' * 8)");
        assertThat(mount.kernel().requests(FALLOCATE)).as("the count sees those that do").isPositive();
        assertThat(mount.kernel().requests(IOCTL)).isPositive();
    }

    @Test
    void theModesOfFallocate() throws Exception {
        assertThat(python("""
                f = os.open('f', os.O_RDWR | os.O_CREAT); os.write(f, b'x' * 200000)
                KEEP, PUNCH, COLLAPSE, ZERO, INSERT, UNSHARE = 1, 2, 8, 16, 32, 64
                fallocate(f, 0, 0, 300000); print(os.fstat(f).st_size)
                fallocate(f, KEEP, 0, 400000); print(os.fstat(f).st_size)
                fallocate(f, PUNCH | KEEP, 1000, 100000); print(os.pread(f, 2, 999), os.pread(f, 2, 100999))
                fallocate(f, ZERO, 150000, 200000); print(os.fstat(f).st_size, os.pread(f, 2, 149999))
                fallocate(f, ZERO | KEEP, 0, 999999); print(os.fstat(f).st_size, os.read(f, 1))
                print(*[refused(fallocate, f, mode, 0, 65536) for mode in (PUNCH, COLLAPSE, INSERT, UNSHARE)])
                """).lines()).containsExactly(
                "300000", "300000", "b'x\\x00' b'\\x00x'", "350000 b'x\\x00'", "350000 b'\\x00'",
                "ENOTSUP ENOTSUP ENOTSUP ENOTSUP");
    }

    /** The test's mount says that 512 GiB are free. What a file has already does not count again. */
    @Test
    void moreThanIsFreeIsNotReserved() throws Exception {
        assertThat(python("""
                f = os.open('f', os.O_RDWR | os.O_CREAT); os.write(f, b'x' * 200000); os.fsync(f)
                print(*[refused(fallocate, f, mode, 0, length) for mode in (0, 1) for length in (1 << 40, (1 << 39) + 200001)], os.fstat(f).st_size)
                fallocate(f, 1, 0, (1 << 39) + 200000)
                print(os.fstat(f).st_size, refused(fallocate, f, 0, 1 << 41, 1 << 20), os.fstat(f).st_size >> 41)
                """).lines()).containsExactly("ENOSPC ENOSPC ENOSPC ENOSPC 200000", "200000 done 1");
    }

    // ---- holes, and files without a name

    @Test
    void holesAreFoundAndTakeNoRoom() throws Exception {
        assertThat(python("""
                f = os.open('f', os.O_RDWR | os.O_CREAT); os.pwrite(f, b'x' * 100000, 1 << 40); os.fsync(f)
                print(os.lseek(f, 0, os.SEEK_DATA) >> 40, os.lseek(f, 1 << 40, os.SEEK_HOLE) - (1 << 40), os.lseek(f, 5, os.SEEK_HOLE))
                print(os.fstat(f).st_blocks * 512 < 200000, refused(os.lseek, f, (1 << 40) + 100000, os.SEEK_DATA))
                g = os.open('g', os.O_RDWR | os.O_CREAT); os.ftruncate(g, 60000); os.pwrite(g, b'x', 20000); os.pwrite(g, b'x', 59884)
                print(*[os.lseek(g, at, os.SEEK_DATA) for at in (0, 16384, 20001, 20479, 20480)], *[os.lseek(g, at, os.SEEK_HOLE) for at in (7, 16384, 20000, 57344, 59900)])
                """)).isEqualTo("1 100000 5\nTrue ENXIO\n16384 16384 20001 20479 57344 7 20480 20480 60000 60000");
    }

    @Test
    void aFileWithoutANameGetsOneOrIsGone() throws Exception {
        assertThat(python("""
                f = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600); os.write(f, b'hello'); print(os.listdir('.'), os.fstat(f).st_nlink)
                libc.linkat(-100, b'/proc/self/fd/%d' % f, -100, b'named', 0x400); print(open('named').read(), os.fstat(f).st_nlink)
                os.close(os.open('.', os.O_TMPFILE | os.O_RDWR)); print(os.listdir('.'))
                """)).isEqualTo("[] 0\nhello 1\n['named']");
    }

    // ---- what is gone, and open

    /** As on a local file system: there are no links to it, and nothing in it. */
    @Test
    void aDirectoryThatWasReplacedIsThereForWhoHasItOpen() throws Exception {
        assertThat(python("""
                top = os.getcwd()
                for name in 'abcd': os.mkdir(name)
                f = os.open('b', os.O_RDONLY); os.rename('a', 'b'); print(os.fstat(f).st_nlink, os.listdir(f), refused(os.mkdir, top + '/b/x'))
                os.chdir('d'); os.rename('../c', '../d'); print(os.stat('.').st_nlink, os.listdir('.'), refused(os.mkdir, 'x'))
                os.chdir(top); os.mkdir('g'); os.chdir('g'); os.rmdir('../g'); print(os.stat('.').st_nlink, os.listdir('.'), refused(os.mkdir, 'x'))
                """).lines()).containsExactly("0 [] done", "0 [] ENOENT", "0 [] ENOENT");
    }

    @Test
    void aFileThatWasReplacedIsThereForWhoHasItOpenAndExchangedDirectoriesStay() throws Exception {
        assertThat(python("""
                open('o', 'w').write('old'); open('n', 'w').write('new'); o = os.open('o', os.O_RDWR); os.rename('n', 'o')
                os.pwrite(o, b'O', 0); print(os.fstat(o).st_nlink, os.pread(o, 9, 0), open('o').read())
                os.mkdir('x'); os.mkdir('y'); x = os.open('x', 0); y = os.open('y', 0); libc.renameat2(-100, b'x', -100, b'y', 2)
                print(os.fstat(x).st_nlink, os.fstat(y).st_nlink, os.listdir(x), os.stat('x').st_ino == os.fstat(y).st_ino)
                """).lines()).containsExactly("0 b'Old' new", "2 2 [] True");
    }

    // ---- locks

    @Test
    void whoAsksForALockIsToldOfTheFirstInTheWay() throws Exception {
        assertThat(python("""
                f = os.open('f', os.O_RDWR | os.O_CREAT)
                for start, kind in ((10, fcntl.LOCK_EX), (30, fcntl.LOCK_SH), (1, fcntl.LOCK_SH), (20, fcntl.LOCK_EX)):
                    fcntl.lockf(f, kind, 5, start)
                if os.fork() == 0:
                    for start, kind in ((0, fcntl.F_WRLCK), (0, fcntl.F_RDLCK), (12, fcntl.F_WRLCK), (16, fcntl.F_RDLCK), (40, fcntl.F_WRLCK)):
                        found = struct.unpack('hhqqi', fcntl.fcntl(f, fcntl.F_GETLK, struct.pack('hhqqi4x', kind, 0, start, 0, 0))[:28])
                        print(*(found[:1] + found[2:4] if found[0] != fcntl.F_UNLCK else ('free',)), found[4] == os.getppid())
                    sys.stdout.flush(); os._exit(0)
                os.wait()
                """).lines()).containsExactly("0 1 5 True", "1 10 5 True", "1 10 5 True", "1 20 5 True", "free False");
    }

    @Test
    void locksBlockOtherProcessesOfThisMountAndCanBeInterrupted() throws Exception {
        assertThat(python("""
                def late(*_): raise TimeoutError()
                signal.signal(signal.SIGALRM, late)
                for lock in (fcntl.flock, fcntl.lockf):
                    with open('f', 'w') as mine:
                        lock(mine, fcntl.LOCK_EX)
                        r, w = os.pipe()
                        child = os.fork()
                        if child == 0:
                            with open('f', 'w') as theirs:
                                print(refused(lock, theirs, fcntl.LOCK_EX | fcntl.LOCK_NB), flush=True)
                                try:
                                    signal.setitimer(signal.ITIMER_REAL, 0.2)
                                    lock(theirs, fcntl.LOCK_EX)
                                    print('got what is held', flush=True)
                                except TimeoutError:
                                    print('interrupted', flush=True)
                                os.write(w, b'x')
                                lock(theirs, fcntl.LOCK_EX)
                                print('got it', flush=True)
                            os._exit(0)
                        os.read(r, 1)
                        lock(mine, fcntl.LOCK_UN)
                        os.waitpid(child, 0)
                """).lines()).containsExactly("EAGAIN", "interrupted", "got it", "EAGAIN", "interrupted", "got it");
    }

    @Test
    void locksAreSeenByAnotherMount() throws Exception {
        try (var elsewhere = open();
                var other = TestMount.of(elsewhere.vfs(), temporary, InstantSource.system())) {
            shell("echo x >f");
            assertThat(python("""
                    for lock in (fcntl.flock, fcntl.lockf):
                        with open('f', 'r+') as mine, open(sys.argv[1], 'r+') as theirs:
                            lock(mine, fcntl.LOCK_EX)
                            print(refused(lock, theirs, fcntl.LOCK_EX | fcntl.LOCK_NB))
                            lock(mine, fcntl.LOCK_SH)
                            print(refused(lock, theirs, fcntl.LOCK_SH | fcntl.LOCK_NB))
                            print(refused(lock, mine, fcntl.LOCK_EX | fcntl.LOCK_NB))
                            lock(theirs, fcntl.LOCK_UN)
                            print(refused(lock, mine, fcntl.LOCK_EX | fcntl.LOCK_NB))
                        with open(sys.argv[1], 'r+') as theirs:
                            lock(theirs, fcntl.LOCK_EX)   # the kernel tells of a close a moment later
                            print('done')
                    """, other.directory().resolve("f").toString()).lines())
                    .containsExactly("EAGAIN", "done", "EAGAIN", "done", "done", "EAGAIN", "done", "EAGAIN", "done",
                            "done");
        }
    }

    /** With local locks, and so on a mount of its own, it stays as it was: another mount does not see them. */
    @Test
    void localLocksAreNotSeenByAnotherMount() throws Exception {
        try (var elsewhere = open();
                var other = TestMount.of(elsewhere.vfs(), temporary, InstantSource.system(),
                        options -> options.with(MountFlag.LOCAL_LOCKS))) {
            shell("echo x >f");
            assertThat(python("""
                    for lock in (fcntl.flock, fcntl.lockf):
                        with open('f', 'r+') as mine, open(sys.argv[1], 'r+') as theirs:
                            lock(mine, fcntl.LOCK_EX)
                            print(refused(lock, theirs, fcntl.LOCK_EX | fcntl.LOCK_NB))
                    """, other.directory().resolve("f").toString())).isEqualTo("done\ndone");
        }
    }

    /** Who gets a lock sees what was written under it before, though both have the file open all the time. */
    @Test
    void whoGetsALockReadsWhatWasWrittenUnderIt() throws Exception {
        try (var elsewhere = open();
                var other = TestMount.of(elsewhere.vfs(), temporary, InstantSource.system())) {
            assertThat(python("""
                    here = os.open('f', os.O_RDWR | os.O_CREAT); there = os.open(sys.argv[1], os.O_RDWR)
                    for round in range(20):
                        for lock, mine in ((fcntl.flock, here), (fcntl.lockf, there), (fcntl.flock, there), (fcntl.lockf, here)):
                            lock(mine, fcntl.LOCK_EX)
                            count = int(os.pread(mine, 20, 0) or b'0')
                            os.pwrite(mine, b'%d' % (count + 1), 0)
                            lock(mine, fcntl.LOCK_UN)
                    print(os.pread(here, 20, 0))
                    """, other.directory().resolve("f").toString())).isEqualTo("b'80'");
        }
    }

    @Test
    void rangesAreSplitAndJoinedAndGoWithTheFirstClose() throws Exception {
        assertThat(python("""
                def held(at):
                    # who asks is another process: fork
                    r, w = os.pipe()
                    if os.fork() == 0:
                        f = os.open('f', os.O_RDWR)
                        answer = fcntl.fcntl(f, fcntl.F_GETLK, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, at, 1, 0))
                        kind, _, start, length, pid = struct.unpack('hhqqi4x', answer)
                        names = {fcntl.F_RDLCK: 'shared', fcntl.F_WRLCK: 'alone', fcntl.F_UNLCK: 'free'}
                        os.write(w, ('%s %d+%d %s' % (names[kind], start, length, pid == os.getppid()) if kind != fcntl.F_UNLCK else 'free').encode())
                        os._exit(0)
                    os.wait(); answer = os.read(r, 100).decode(); os.close(r); os.close(w)
                    return answer
                f = os.open('f', os.O_RDWR | os.O_CREAT)
                fcntl.lockf(f, fcntl.LOCK_EX, 100, 0)
                fcntl.lockf(f, fcntl.LOCK_SH, 10, 40)
                fcntl.lockf(f, fcntl.LOCK_UN, 10, 60)
                for at in (0, 39, 45, 55, 65, 75, 100): print(at, held(at))
                fcntl.lockf(f, fcntl.LOCK_EX, 40, 40)
                print(held(0))
                os.close(os.open('f', os.O_RDONLY))
                print(held(0))
                fcntl.lockf(f, fcntl.LOCK_EX)
                os.close(f)
                print(held(0))
                """).lines()).containsExactly(
                "0 alone 0+40 True", "39 alone 0+40 True", "45 shared 40+10 True", "55 alone 50+10 True", "65 free",
                "75 alone 70+30 True", "100 free", "alone 0+100 True", "free", "free");
    }

    @Test
    void aDeadlockIsRefusedToOneOfThoseInIt() throws Exception {
        assertThat(python("""
                f = os.open('f', os.O_RDWR | os.O_CREAT)
                fcntl.lockf(f, fcntl.LOCK_EX, 1, 0)
                r, w = os.pipe()
                child = os.fork()
                if child == 0:
                    mine = os.open('f', os.O_RDWR)
                    fcntl.lockf(mine, fcntl.LOCK_EX, 1, 1)
                    os.write(w, b'x')
                    print(refused(fcntl.lockf, mine, fcntl.LOCK_EX, 1, 0), flush=True)
                    os._exit(0)
                os.read(r, 1)
                time.sleep(0.1)
                print(refused(fcntl.lockf, f, fcntl.LOCK_EX, 1, 1), flush=True)
                fcntl.lockf(f, fcntl.LOCK_UN)
                os.waitpid(child, 0)
                """).lines()).containsExactly("EDEADLOCK", "done");
    }

    /** A program that is killed while it waits, or while it has a lock, leaves nothing behind. */
    @Test
    void whoIsKilledLetsGo() throws Exception {
        assertThat(python("""
                os.close(os.open('f', os.O_RDWR | os.O_CREAT))
                for lock in (fcntl.flock, fcntl.lockf):
                    children = []
                    for _ in range(3):
                        child = os.fork()
                        if child == 0:
                            f = os.open('f', os.O_RDWR | os.O_CREAT)
                            lock(f, fcntl.LOCK_EX)
                            time.sleep(100)
                        children.append(child); time.sleep(0.1)
                    for child in children:
                        os.kill(child, signal.SIGKILL); os.waitpid(child, 0)
                    f = os.open('f', os.O_RDWR)
                    lock(f, fcntl.LOCK_EX); os.close(f)
                    print('got it')
                """).lines()).containsExactly("got it", "got it");
    }

    // ---- the end of a file

    /** Also records that cross a block, here 64 KiB, and with a file that begins inline. */
    @Test
    void whatTwoMountsAppendIsAllThereAndInOnePiece() throws Exception {
        try (var elsewhere = open();
                var other = TestMount.of(elsewhere.vfs(), temporary, InstantSource.system())) {
            assertThat(python("""
                    import random
                    seed = random.randrange(1 << 30); print('seed', seed, file=sys.stderr); draw = random.Random(seed)
                    names = ['f', sys.argv[1]]
                    files = [os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND) for name in names]
                    written = [[], []]
                    for i in range(400):
                        who = draw.randrange(2)
                        record = b'<%d:%d:' % (who, i) + b'x' * draw.randrange(draw.choice((30, 3000))) + b'>\\n'
                        assert os.write(files[who], record) == len(record)
                        written[who].append(record)
                        what = draw.randrange(12)
                        if what == 0: os.fsync(files[who])
                        elif what == 1: os.close(files[who]); files[who] = os.open(names[who], os.O_WRONLY | os.O_APPEND)
                    for f in files: os.close(f)
                    for name in names:
                        lines = open(name, 'rb').read().splitlines(True)
                        for who in (0, 1):
                            assert [l for l in lines if l.startswith(b'<%d:' % who)] == written[who], 'lost, torn or out of order'
                        assert len(lines) == 400
                    print('all there')
                    """, other.directory().resolve("f").toString())).endsWith("all there");
        }
    }

    /** A reader that follows a file, which it has open, never sees zeros where something was appended elsewhere. */
    @Test
    void whoFollowsAFileSeesWhatIsAppendedElsewhere() throws Exception {
        try (var elsewhere = open();
                var other = TestMount.of(elsewhere.vfs(), temporary, InstantSource.system(),
                        options -> options.withTimeout(java.time.Duration.ZERO))) {
            assertThat(python("""
                    out = os.open('f', os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                    reader = os.open(sys.argv[1], os.O_RDONLY)
                    for i in range(50):
                        os.write(out, b'line %d\\n' % i); os.fsync(out)
                        os.fstat(reader)
                        assert os.read(reader, 100) == b'line %d\\n' % i, i
                    print('followed')
                    """, other.directory().resolve("f").toString())).endsWith("followed");
        }
    }

    // ---- shared memory

    @Test
    void whatIsChangedThroughSharedMemoryIsWrittenOnCloseAndOnMsync() throws Exception {
        try (var elsewhere = open();
                var other = TestMount.of(elsewhere.vfs(), temporary, InstantSource.system())) {
            assertThat(python("""
                    f = os.open('f', os.O_RDWR | os.O_CREAT); os.ftruncate(f, 300000)
                    m = mmap.mmap(f, 300000); m[100000:100005] = b'hello'; m.flush()
                    os.fsync(f)
                    with open(sys.argv[1], 'rb') as there: there.seek(100000); print(there.read(5))
                    m[200000:200005] = b'world'; m.close(); os.close(f)
                    with open('f', 'rb') as here: here.seek(200000); print(here.read(5))
                    """, other.directory().resolve("f").toString())).isEqualTo("b'hello'\nb'world'");
        }
    }
}
