package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.hang.Eventually;
import volsh.meta.EngineKind;
import volsh.meta.OnPostgres;
import volsh.vfs.TestVolume;

/**
 * A store that does not answer: who waits for it can be killed, everybody else goes on, and the mount can be taken
 * away.
 */
@OnPostgres
@Tag("mount")
final class MountInterruptTest {
    private static final int BLOCK = 64 << 10;
    private static final int SECONDS = 120;   // only a hang takes that long

    @TempDir
    private Path temporary;

    private final Gate store = new Gate(new MemoryBlockStore());
    private final ExecutorService executor = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory());
    private final List<Process> started = new ArrayList<>();
    private TestVolume volume;
    private TestMount mount;

    private final EngineKind kind;

    MountInterruptTest(EngineKind kind) {
        this.kind = kind;
    }

    /** Lets calls through, or keeps them until it is opened. */
    private static final class Gate implements Forwarding {
        private final BlockStore delegate;
        private final AtomicInteger waiting = new AtomicInteger();
        private volatile CountDownLatch latch = new CountDownLatch(0);

        Gate(BlockStore delegate) {
            this.delegate = delegate;
        }

        @Override
        public BlockStore delegate() {
            return delegate;
        }

        void shut() {
            latch = new CountDownLatch(1);
        }

        void open() {
            latch.countDown();
        }

        int waiting() {
            return waiting.get();
        }

        private void pass() {
            waiting.incrementAndGet();
            boolean passed = false;
            while (!passed) {
                try {
                    latch.await();
                    passed = true;
                } catch (InterruptedException deaf) {
                    // a store need not listen
                }
            }
            waiting.decrementAndGet();
        }

        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            pass();
            return delegate.get(key, offset, target);
        }

        @Override
        public void put(BlockKey key, ByteBuffer data) throws IOException {
            pass();
            delegate.put(key, data);
        }
    }

    @BeforeEach
    void mount() throws Exception {
        volume = TestVolume.open(
                kind.open(), store, new ChunkSettings(BLOCK, 0, 1 << 20, 2 << 20), executor, InstantSource.system());
        mount = TestMount.of(volume.vfs(), temporary, InstantSource.system());
        // nothing is read: no cache has it
        Programs.shell(mount.directory(), "head -c 1000000 /dev/urandom | tee f | cksum > sum");
        store.shut();
    }

    @AfterEach
    void unmount() throws Exception {
        store.open();
        for (var process : started) {
            process.destroyForcibly().waitFor();
        }
        mount.close();
        volume.close();
        executor.shutdown();
    }

    private Process start(String lines) throws IOException {
        var process = new ProcessBuilder("/bin/bash", "-c", lines).directory(mount.directory().toFile())
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        started.add(process);
        return process;
    }

    /** Waits until so many calls of the store hang. */
    private void awaitWaiting(int count) {
        Eventually.value(count + " calls hang", store::waiting, waiting -> waiting >= count);
    }

    private static void signal(Process process, String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    }

    private static void assertEnds(Process process) throws Exception {
        assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("the process ends").isTrue();
    }

    private void assertIntact() throws Exception {
        store.open();
        Programs.shell(mount.directory(), "cksum < f | cmp - sum; echo more > g; test \"$(cat g)\" = more");
    }

    @Test
    void aKilledReaderEnds() throws Exception {
        var signals = List.of("KILL", "INT", "TERM");
        for (int i = 0; i < signals.size(); i++) {
            // not dd, which handles SIGINT; each another block, so that each has a call of the store that hangs
            var reader = start("exec perl -e 'sysopen(F, \"f\", 040000); sysseek(F, %d, 0); sysread(F, $b, 4096)'"
                    .formatted(i * BLOCK));
            awaitWaiting(i + 1);
            signal(reader, signals.get(i));
            assertEnds(reader);
        }
        assertIntact();
    }

    @Test
    void aKilledReaderOfThePageCacheEnds() throws Exception {
        var reader = start("dd if=f iflag=nocache count=0; exec cat f");   // its pages alone: other tests have theirs
        var second = start("exec dd if=f of=/dev/null bs=64k iflag=direct");
        awaitWaiting(1);
        signal(reader, "KILL");
        signal(second, "KILL");
        assertEnds(reader);
        assertEnds(second);
        assertIntact();
    }

    @Test
    void aKilledWriterEnds() throws Exception {
        var writer = start("exec dd if=/dev/zero of=w bs=64k count=100");   // more than there is memory for
        awaitWaiting(4);
        signal(writer, "KILL");
        assertEnds(writer);
        assertIntact();
    }

    @Test
    void aKilledProcessThatSyncsEnds() throws Exception {
        var writer = start("exec dd if=/dev/zero of=w bs=100k count=1 conv=fsync");
        awaitWaiting(1);
        signal(writer, "KILL");
        assertEnds(writer);
        assertIntact();
    }

    /** What a killed process wrote before is written out all the same. */
    @Test
    void whatAKilledProcessWroteIsKept() throws Exception {
        var writer = start("exec python3 -c \"import os,time; f=os.open('w',os.O_CREAT|os.O_WRONLY); "
                + "os.write(f,b'x'*100); time.sleep(1000)\"");
        Eventually.holds("something is written",
                () -> Files.exists(mount.directory().resolve("w")) && Files.size(mount.directory().resolve("w")) > 0);
        signal(writer, "KILL");
        assertEnds(writer);
        assertIntact();
        assertThat(Files.readString(mount.directory().resolve("w"))).isEqualTo("x".repeat(100));
    }

    /** A signal with a handler is no reason to fail a read: no file on a disk does that. */
    @Test
    void aHandledSignalInterruptsNoRead() throws Exception {
        var reader = start("""
                exec python3 - <<'END'
                import ctypes, mmap, os, signal, sys
                seen = []
                handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(lambda number: seen.append(number))
                libc = ctypes.CDLL(None, use_errno=True)
                libc.signal(signal.SIGUSR1, handler)
                libc.siginterrupt(signal.SIGUSR1, 1)
                file = os.open('f', os.O_RDONLY | os.O_DIRECT)
                buffer = mmap.mmap(-1, 65536)
                address = ctypes.c_char.from_buffer(buffer)
                done = libc.read(file, ctypes.byref(address), 65536)
                sys.exit(0 if done == 65536 else 100 + ctypes.get_errno())
                END""");
        awaitWaiting(1);
        for (int i = 0; i < 5; i++) {
            signal(reader, "USR1");
            // the kernel tells of interrupts before it asks for anything else
            for (int later = 0; later < 10; later++) {
                assertThat(mount.directory().resolve("later-%d-%d".formatted(i, later))).doesNotExist();
            }
        }
        assertThat(reader.isAlive()).isTrue();
        store.open();
        assertEnds(reader);
        assertThat(reader.exitValue()).isZero();
    }

    @Test
    void othersGoOnThoughManyWait() throws Exception {
        for (int i = 0; i < 40; i++) {
            start("exec dd if=f of=/dev/null bs=64k count=1 iflag=direct skip=" + i % 15);
        }
        awaitWaiting(8);   // the others wait for memory, or for one that reads the same
        Programs.shell(mount.directory(), "ls -l; mkdir d; touch d/x; mv d/x d/y; stat d/y; rm -r d");
        for (var process : started) {
            signal(process, "KILL");
        }
        for (var process : started) {
            assertEnds(process);
        }
        assertIntact();
    }

    @Test
    void anAbortedMountKeepsNobodyWaiting() throws Exception {
        var reader = start("exec dd if=f of=/dev/null bs=64k iflag=direct");
        var writer = start("exec dd if=/dev/zero of=w bs=64k count=100");
        awaitWaiting(4);
        mount.kernel().abort();
        assertEnds(reader);
        assertEnds(writer);
        assertThat(reader.exitValue()).isNotZero();
        assertThat(TestMount.isMounted(mount.directory())).isFalse();
        store.open();
        remount();
        assertIntact();
    }

    @Test
    void aForcedUnmountKeepsNobodyWaiting() throws Exception {
        var reader = start("exec dd if=f of=/dev/null bs=64k iflag=direct");
        awaitWaiting(1);
        Programs.shell(temporary, "umount -f %1$s || umount -l %1$s".formatted(mount.directory()));
        assertEnds(reader);
        mount.kernel().await();
        store.open();
        remount();
        assertIntact();
    }

    private void remount() throws IOException {
        mount.close();
        mount = TestMount.at(mount.directory(), volume.vfs(), InstantSource.system(), options -> options);
    }

    /**
     * Somebody still works in the directory, and somebody has a file open: they lose it, and what they wrote is kept.
     */
    @Test
    void aBusyMountIsTakenAway() throws Exception {
        store.open();
        var worker = start("""
                exec python3 -c "
                import os, time
                file = os.open('w', os.O_CREAT | os.O_WRONLY)
                os.write(file, b'kept')
                open('ready', 'w').close()
                while True: time.sleep(0.01); os.fstat(file)
                "
                """.indent(0));
        Eventually.holds("it is ready", () -> Files.exists(mount.directory().resolve("ready")));
        remount();
        assertEnds(worker);
        assertThat(Files.readString(mount.directory().resolve("w"))).isEqualTo("kept");
        assertIntact();
    }
}
