package volsh.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import volsh.disk.Disk;

/**
 * The requests of people to one cache directory. A request that writes or evicts is one of the tasks of the {@code
 * executor} of the directory, so there is still one writer.
 */
final class DirectoryUpkeep implements DiskTierRequests {
    private static final long LOOK_AGAIN_MILLIS = 100;

    private final BlockFiles files;
    private final Population population;
    private final Pins pins;
    private final Filling filling;
    private final AtomicLong clock;
    private final Executor executor;
    private final InstantSource wall;
    private final BooleanSupplier away;
    private final LongConsumer resized;

    /** {@code away} is true while the directory is closed or failing; {@code resized} is told of another quota. */
    DirectoryUpkeep(BlockFiles files, Population population, Pins pins, Filling filling, AtomicLong clock,
            Executor executor, InstantSource wall, BooleanSupplier away, LongConsumer resized) {
        this.files = files;
        this.population = population;
        this.pins = pins;
        this.filling = filling;
        this.clock = clock;
        this.executor = executor;
        this.wall = wall;
        this.away = away;
        this.resized = resized;
    }

    @Override
    public KeepRequest claim(boolean ahead) {
        return new KeepRequest(List.of(clock.incrementAndGet()), ahead);
    }

    // ---- having

    @Override
    public boolean[] has(long block, int first, int count) {
        var here = new boolean[count];
        if (away.getAsBoolean()) {
            return here;
        }
        try (var file = files.open(block)) {
            var entries = files.form(block).entries(file, first, count);
            for (int i = 0; i < count; i++) {
                here[i] = entries[i] != null;
            }
            var known = population.find(block);
            if (known != null) {
                known.touch(clock.get());
            }
        } catch (NoSuchFileException missing) {
            // no frame of it is cached
        } catch (BlockFile.DamagedException rotten) {
            filling.drop(block);
        } catch (IOException failed) {
            filling.failed(failed);
        }
        return here;
    }

    @Override
    public RetainedFrames keep(long block, int frameCount, int first, int[] lengths, ByteBuffer stored,
            KeepRequest claim) {
        if (away.getAsBoolean() || !filling.isUp()) {
            return RetainedFrames.NO_DISK;
        }
        var fill = Fill.lying(block, frameCount, first, lengths, stored);
        return await(new FutureTask<>(() -> filling.keep(fill, claim)), RetainedFrames.NO_DISK);
    }

    /** Waits for a task; not for ever, if the directory is closed in the meantime. */
    private <R extends @Nullable Object> R await(FutureTask<R> task, R otherwise) {
        try {
            executor.execute(task);
            while (true) {
                try {
                    return task.get(LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException late) {
                    if (away.getAsBoolean() && task.cancel(false)) {
                        return otherwise;
                    }
                }
            }
        } catch (RejectedExecutionException closing) {
            return otherwise;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return otherwise;
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed.getCause());
        }
    }

    @Override
    public boolean verify(long block) {
        try {
            VolumeCache.readAll(files, block);
            return true;
        } catch (BlockFile.DamagedException rotten) {
            filling.drop(block);
            return false;
        } catch (IOException failed) {
            filling.failed(failed);
            return false;
        }
    }

    // ---- letting go

    @Override
    public long evict(BlockSet blocks) {
        long[] freed = {0};
        blocks.forEach(block -> {
            var known = population.find(block);
            if (known != null && !pins.contains(block)) {
                freed[0] += known.size();
                filling.drop(block);
            }
        });
        return freed[0];
    }

    @Override
    public BlockSet expire(BlockSet blocks, Instant before) {
        var gone = new BlockSet.Builder();
        blocks.forEach(block -> {
            var known = population.find(block);
            if (known != null && known.born() > 0 && known.born() < before.toEpochMilli() && !pins.contains(block)) {
                gone.add(block, (int) Math.min(Integer.MAX_VALUE, known.size()));
                filling.drop(block);
            }
        });
        return gone.build();
    }

    @Override
    public void resize(Path directory, long quotaBytes) throws IOException {
        if (!Disk.directoryOf(files.root()).equals(directory)) {
            DiskTierRequests.super.resize(directory, quotaBytes);
        }
        pins.requireFit(quotaBytes);
        filling.resize(quotaBytes);
        resized.accept(quotaBytes);
        pins.choose(quotaBytes);
        await(new FutureTask<>(() -> {
            filling.shrink();
            return null;
        }), null);
    }

    // ---- holding on

    @Override
    public void pin(Pin pin) throws IOException {
        var before = pins.all();
        pins.add(pin, filling.quota());
        pin.blocks().forEach(population::settle);
        before.stream().filter(old -> old.path().equals(pin.path()))
                .forEach(old -> old.blocks().forEach(population::settle));
    }

    @Override
    public boolean unpin(String path) throws IOException {
        boolean any = false;
        for (var pin : pins.all()) {
            any |= pin.path().equals(path) && remove(pin);
        }
        return any;
    }

    private boolean remove(Pin pin) throws IOException {
        boolean removed = pins.remove(pin, filling.quota());
        pin.blocks().forEach(population::settle);
        return removed;
    }

    @Override
    public List<Pin> pins() {
        return pins.all();
    }

    @Override
    public void expirePins() {
        if (pins.isDue(wall.millis())) {
            try {
                executor.execute(this::expire);
            } catch (RejectedExecutionException closing) {
                // the next process that opens the directory does it
            }
        }
    }

    void expire() {
        for (var pin : pins.expired(wall.instant())) {
            try {
                remove(pin);
                if (pin.drops()) {
                    evict(pin.blocks());
                }
            } catch (IOException failed) {
                filling.failed(failed);
                return;
            }
        }
    }
}
