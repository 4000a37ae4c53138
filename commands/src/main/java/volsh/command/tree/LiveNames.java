package volsh.command.tree;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import volsh.command.Services;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSource;
import volsh.job.Jobs;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;
import volsh.volume.Volumes;

/**
 * Completes names of volumes, stores, mounts and jobs. Names come from the file names of the catalog, without opening
 * anything. Descriptions (settings, mounts and their state, at a prompt also sizes) are looked up in the background for
 * the first names, and shown once they are known.
 */
final class LiveNames {
    private static final int TOLD_MAX = 200;
    private static final int SIZED_MAX = 50;
    private static final Duration MOMENT = Duration.ofMillis(40);
    private static final long LOOK_NANOS = Duration.ofSeconds(2).toNanos();

    private final Services services;
    private final boolean sizes;
    private final Map<String, String> told = new ConcurrentHashMap<>();
    private final AtomicBoolean telling = new AtomicBoolean();
    private volatile long looked = System.nanoTime() - LOOK_NANOS;

    /** {@code sizes}: whether to open volumes to show their size. */
    LiveNames(Services services, boolean sizes) {
        this.services = services;
        this.sizes = sizes;
    }

    /** The volumes. */
    CompletionSource source() {
        return new CompletionSource() {
            @Override
            public List<Candidate> candidates(String prefix) throws Exception {
                List<String> names = services.of(Volumes.class).names();
                tell(names);
                return volumes(names);
            }

            @Override
            public List<Candidate> ahead() throws Exception {
                return volumes(services.of(Volumes.class).names());
            }
        };
    }

    private List<Candidate> volumes(List<String> names) {
        return names.stream().map(name -> Candidate.name(name, told.getOrDefault(name, "volume"))).toList();
    }

    List<Candidate> stores() throws Exception {
        var volumes = services.of(Volumes.class);
        var candidates = new ArrayList<Candidate>();
        for (String name : volumes.stores().names()) {
            candidates.add(Candidate.name(name,
                    candidates.size() < TOLD_MAX ? volumes.stores().find(name).url().toString() : "store"));
        }
        return candidates;
    }

    List<Candidate> mounts() throws Exception {
        var candidates = new ArrayList<Candidate>();
        for (var mount : services.of(Mounts.class).list()) {
            candidates.add(Candidate.name(mount.record().mountPoint().toString(),
                    mount.record().source() + ", " + state(mount)));
        }
        return candidates;
    }

    List<Candidate> jobs() throws Exception {
        return services.of(Jobs.class).list().stream()
                .map(job -> Candidate.name(job.id(), job.state() + ", " + job.title())).toList();
    }

    /** The pools that stores are in. */
    List<Candidate> pools() throws Exception {
        var volumes = services.of(Volumes.class);
        var pools = new TreeMap<String, String>();
        for (String name : volumes.stores().names().stream().limit(TOLD_MAX).toList()) {
            volumes.stores().find(name).pools()
                    .forEach(pool -> pools.merge(pool, name, (some, one) -> some + ", " + one));
        }
        return pools.entrySet().stream().map(pool -> Candidate.name(pool.getKey(), pool.getValue())).toList();
    }

    /** The processes of mounts. */
    List<Candidate> processes() throws Exception {
        return services.of(Mounts.class).list().stream().map(mount -> Candidate.name(
                Long.toString(mount.record().pid()), "mount " + mount.record().mountPoint())).toList();
    }

    /** Block devices of this machine. */
    static List<Candidate> devices() throws IOException {
        try (var devices = Files.list(Path.of("/sys/block"))) {
            return devices.map(device -> Candidate.name(device.getFileName().toString(), "device"))
                    .sorted(Comparator.comparing(Candidate::word)).toList();
        }
    }

    private static String state(Mounts.Status mount) {
        return mount.state().toString().toLowerCase(Locale.ROOT);
    }

    /** Looks up descriptions, and waits a moment if there are few. */
    private void tell(List<String> names) throws InterruptedException {
        if (names.isEmpty() || told.keySet().containsAll(first(names)) && System.nanoTime() - looked < LOOK_NANOS
                || !telling.compareAndSet(false, true)) {
            return;
        }
        var first = first(names);
        var done = new CountDownLatch(1);
        Thread.ofPlatform().daemon().name("completion details").start(() -> {
            try {
                look(first);
            } catch (Exception unknown) {
                // names without descriptions
            } finally {
                telling.set(false);
                done.countDown();
            }
        });
        boolean _ = names.size() > TOLD_MAX || done.await(MOMENT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static List<String> first(List<String> names) {
        return names.subList(0, Math.min(TOLD_MAX, names.size()));
    }

    private void look(List<String> names) throws Exception {
        looked = System.nanoTime();
        var volumes = services.of(Volumes.class);
        for (String name : names) {
            told.put(name, settings(volumes, name));
        }
        Map<String, String> places = places();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            var text = new StringJoiner(", ");
            if (sizes && i < SIZED_MAX) {
                size(volumes, name, text);
            }
            text.add(settings(volumes, name));
            if (places.containsKey(name)) {
                text.add(places.get(name));
            }
            told.put(name, text.toString());
        }
    }

    private static String settings(Volumes volumes, String name) {
        try {
            var spec = volumes.find(name);
            return "%s %s in %s".formatted(spec.blockSize(), spec.compression(), String.join(",", spec.stores()));
        } catch (Exception damaged) {
            return "damaged";
        }
    }

    private static void size(Volumes volumes, String name, StringJoiner text) {
        try {
            var usage = volumes.status(name).usage();
            if (usage.isKnown()) {
                text.add(new ByteSize(usage.bytes()).toString());
            }
        } catch (Exception closed) {
            // show only its settings
        }
    }

    /** The mounts of volumes, such as {@code on /mnt/a}, with their problems. */
    private Map<String, String> places() {
        var places = new HashMap<String, String>();
        try {
            for (var mount : services.of(Mounts.class).list()) {
                String wrong = mount.state() == Mounts.State.OK ? "" : " (" + state(mount) + ")";
                places.merge(mount.record().source().volume(), "on " + mount.record().mountPoint() + wrong,
                        (one, other) -> one + " and elsewhere");
            }
        } catch (Exception unknown) {
            // then mounts are not shown
        }
        return places;
    }
}
