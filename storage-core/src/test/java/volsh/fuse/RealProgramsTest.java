package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.file.FileBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.vfs.TestVolume;

/** Programs people use, on a mount of a volume as people have it: do they work, and is what they leave right? */
@Tag("mount")
final class RealProgramsTest {
    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory());
    private MetaEngine engine;
    private TestVolume volume;
    private TestMount mount;

    @BeforeEach
    void mount() throws IOException {
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
        engine = SqliteMetaEngine.create(temporary.resolve("meta.db"));
        volume = TestVolume.open(
                engine, new FileBlockStore(temporary.resolve("store"), new OsDisk()),
                new ChunkSettings(4 << 20, 4096, 64 << 20, 32 << 20), executor, InstantSource.system());
        mount = TestMount.of(volume.vfs(), temporary, InstantSource.system());
        Files.setPosixFilePermissions(mount.directory(), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterEach
    void unmount() throws IOException {
        try {
            mount.close();
            assertThat(volume.audit()).isEmpty();
            volume.close();
        } finally {
            engine.close();
            executor.shutdown();
        }
    }

    private String shell(String lines) throws Exception {
        return Programs.shell(mount.directory(), lines);
    }

    private static void needs(String... programs) throws Exception {
        for (var program : programs) {
            assumeTrue(Programs.isThere(program), () -> program + " is not installed");
        }
    }

    private void sqlite(String journal) throws Exception {
        needs("sqlite3");
        assertThat(shell("""
                sqlite3 db 'PRAGMA journal_mode=%s' 'CREATE TABLE t(writer, number, text)'
                for writer in 1 2 3; do
                  (for n in $(seq 20); do
                     echo "PRAGMA busy_timeout=60000; BEGIN IMMEDIATE; INSERT INTO t VALUES($writer, $n, hex(randomblob(300))); COMMIT;"
                   done | sqlite3 db > log.$writer 2>&1) &
                done
                wait
                sqlite3 db 'PRAGMA integrity_check' 'SELECT count(*), count(DISTINCT writer * 100 + number) FROM t'
                """.formatted(journal))).endsWith("ok\n60|60\n");
        remount();
        assertThat(shell("sqlite3 db 'PRAGMA integrity_check' 'SELECT count(*) FROM t'")).isEqualTo("ok\n60\n");
    }

    @Test
    void sqliteWithARollbackJournal() throws Exception {
        sqlite("delete");
    }

    @Test
    void sqliteWithAWriteAheadLog() throws Exception {
        sqlite("wal");
    }

    /** As if the machine had been restarted: nothing is in the kernel's caches. */
    private void remount() throws IOException {
        mount.close();
        mount = TestMount.at(mount.directory(), volume.vfs(), InstantSource.system(), options -> options);
    }

    @Test
    void gitCommitsClonesAndChecks() throws Exception {
        needs("git");
        shell("""
                export HOME=$PWD GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
                git init -q one && cd one
                for i in $(seq 60); do mkdir -p d$((i % 7)); seq $i $((i * 50)) > d$((i % 7))/f$i; done
                git add . && git commit -qm first
                for i in $(seq 30); do echo more >> d$((i % 7))/f$i; done
                git commit -qam second && git checkout -q -b side HEAD~1 && git mv d1 moved && git commit -qm third
                git merge -q -m merged master 2>/dev/null || git merge -q -m merged main
                git gc -q
                cd .. && git clone -q one two && cd two && git fsck --strict && git status --porcelain | wc -l
                """);
        remount();
        assertThat(shell("cd two && git fsck --strict 2>&1 && git status --porcelain && git log --oneline | wc -l"))
                .endsWith("4\n");
    }

    /** A tree with all that archives keep. */
    private Path tree() throws Exception {
        var tree = Files.createDirectory(temporary.resolve("tree"));
        Programs.shell(tree, """
                mkdir -p a/b/c empty; head -c 5000000 /dev/urandom > a/big; seq 1000 > a/b/text; : > a/none; echo x > a/b/c/tiny
                ln -s ../a/big a/link; ln -s nowhere dangling; ln a/b/text hard; mkfifo pipe
                truncate -s 3M sparse; printf end >> sparse; printf '\\377name' > "$(printf 'odd\\377\\n name')"
                chmod 4755 a/b/text; chmod 600 a/big; chmod 1777 empty; chown 1234:4321 a/b/c/tiny; chown -h 12:13 dangling
                python3 -c 'import os; os.setxattr("a/big", "user.note", b"hello\\0there")'
                for i in $(seq 300); do echo $i > a/b/c/f$i; done
                find . -type f -exec touch -d '2001-02-03 04:05:06.123456789' {} +; touch -h -d 1999-01-01 dangling a/link pipe
                find . -depth -type d -exec touch -d '2011-11-11 11:11:11.5' {} +
                """);
        return tree;
    }

    /** Everything that can be said of a tree, but the size of directories and change times. */
    private static String listing(Path tree) throws Exception {
        return Programs.shell(tree, """
                export LC_ALL=C
                find . -type d -printf '%p d %m %U:%G %TY-%Tm-%Td %TT\\n' -o -printf '%p %y %m %U:%G %s %n %TY-%Tm-%Td %TT %l\\n' | sort
                find . -type f -print0 | sort -z | xargs -0 cksum
                python3 -c 'import os; print(os.listxattr("a/big"), os.getxattr("a/big", "user.note"))'
                """);
    }

    @Test
    void rsyncKeepsEverything() throws Exception {
        needs("rsync");
        var tree = tree();
        Programs.run(temporary, "rsync", "-aHXS", tree + "/", mount.directory() + "/copy/");
        remount();
        assertThat(listing(mount.directory().resolve("copy"))).isEqualTo(listing(tree));
        assertThat(Programs.run(temporary, "rsync", "-aHXnic", tree + "/", mount.directory() + "/copy/")).isEmpty();
    }

    @Test
    void tarKeepsEverything() throws Exception {
        var tree = tree();
        Programs.shell(temporary, "tar --xattrs --sparse -C tree -cf %s/all.tar .".formatted(mount.directory()));
        shell("mkdir out && tar --xattrs -C out -xpf all.tar && tar --xattrs -C out -df all.tar");
        remount();
        assertThat(listing(mount.directory().resolve("out"))).isEqualTo(listing(tree));
    }

    @Test
    void copyKeepsEverything() throws Exception {
        var tree = tree();
        Programs.shell(temporary, "cp -a tree %s/one".formatted(mount.directory()));
        shell("cp -a one two && diff -r --no-dereference one two -x pipe && rm -r one");
        remount();
        assertThat(listing(mount.directory().resolve("two"))).isEqualTo(listing(tree));
    }

    @Test
    void sharedMemoryMappingsAreSeenByReadersAndOtherMappings() throws Exception {
        shell("""
                cat > map.py <<'END'
                import mmap, os
                size = 5 * 1024 * 1024 + 123
                with open('m', 'wb') as f: f.truncate(size)
                f = open('m', 'r+b'); g = open('m', 'r+b')
                one, two = mmap.mmap(f.fileno(), size), mmap.mmap(g.fileno(), size)
                for i in range(0, size - 10, 40961): one[i:i + 10] = b'%010d' % i
                for i in range(0, size - 10, 40961): assert two[i:i + 10] == b'%010d' % i, i
                for i in range(0, size - 10, 40961): assert os.pread(g.fileno(), 10, i) == b'%010d' % i, i
                os.pwrite(g.fileno(), b'written', 1000)
                assert one[1000:1007] == b'written'
                one.flush(); os.fsync(f.fileno())
                two[size - 5:] = b'close'
                END
                python3 map.py""");
        remount();
        shell("""
                python3 - <<'END'
                data = open('m', 'rb').read()
                size = 5 * 1024 * 1024 + 123
                assert len(data) == size and data[1000:1007] == b'written' and data[-5:] == b'close'
                for i in range(0, size - 10, 40961): assert data[i:i + 10] == b'%010d' % i, i
                END""");
    }

    @Test
    void compilesAndRuns() throws Exception {
        needs("gcc");
        assertThat(shell("""
                printf '#include <stdio.h>\\nint f(void);\\nint main(void) { printf("%%d\\\\n", f()); return 0; }\\n' > main.c
                echo 'int f(void) { return 42; }' > f.c
                gcc -O -c main.c f.c && ar rcs libf.a f.o && gcc -o program main.o -L. -lf && ./program
                """)).isEqualTo("42\n");
    }

    @Test
    void anotherUserHasTheRightsOfAnotherUser() throws Exception {
        needs("su");
        assertThat(shell("""
                echo secret > private; chmod 600 private; echo open > public; chmod 644 public; mkdir -m 1777 shared
                su nobody -s /bin/sh -c 'cat public; cat private || echo refused; echo mine > shared/x; rm -f public || echo kept' 2>/dev/null
                stat -c '%U %a' shared/x
                su nobody -s /bin/sh -c 'echo more >> shared/x; rm shared/x'
                ls shared | wc -l
                """)).isEqualTo("open\nrefused\nkept\nnobody 644\n0\n");
    }

    @Test
    void manyAppendWithoutLosingAByte() throws Exception {
        assertThat(shell("""
                cat > append.py <<'END'
                import os, sys
                file = os.open('log', os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
                for i in range(500): os.write(file, b'%s %05d %s\\n' % (sys.argv[1].encode(), i, b'x' * (i % 97)))
                END
                for writer in a b c d; do python3 append.py $writer & done
                wait
                python3 - <<'END'
                lines = open('log', 'rb').read().split(b'\\n')
                assert lines.pop() == b''
                for writer in (b'a', b'b', b'c', b'd'):
                    mine = [line for line in lines if line.startswith(writer)]
                    assert mine == [b'%s %05d %s' % (writer, i, b'x' * (i % 97)) for i in range(500)], (writer, len(mine))
                print(len(lines))
                END
                """)).isEqualTo("2000\n");
    }

    @Test
    void readersKeepTheFileThatIsReplacedUnderThem() throws Exception {
        assertThat(shell("""
                head -c 3000000 /dev/zero | tr '\\0' a > f
                (exec 3< f; rm f; head -c 3000000 /dev/zero | tr '\\0' b > new; mv new f; tr -d a <&3 | wc -c)
                tr -d b < f | wc -c
                (exec 3< f; for i in 1 2 3; do head -c 1000000 /dev/zero | tr '\\0' c > new; mv new f; done; tr -d b <&3 | wc -c)
                find . -type f | wc -l
                """)).isEqualTo("0\n0\n0\n1\n");
    }
}
