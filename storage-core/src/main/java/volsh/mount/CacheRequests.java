package volsh.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import volsh.cache.Epochs;
import volsh.cache.PinTooLargeException;
import volsh.volume.Volume;
import volsh.warm.Job;
import volsh.warm.Prefetch;
import volsh.warm.Undertaking;
import volsh.warm.Wish;

/** What a mount is asked about its caches. */
final class CacheRequests implements AutoCloseable {
    private final Volume volume;
    private final InstantSource clock;
    private final Jobs jobs = new Jobs();

    CacheRequests(Volume volume, InstantSource clock) {
        this.volume = volume;
        this.clock = clock;
    }

    /** @throws IOException if it is not understood, or fails */
    List<String> answer(String request) throws IOException {
        var phrase = Phrase.parse(request);
        var words = phrase.words();
        return switch (phrase.verb()) {
            case "job" -> List.of(Long.toString(jobs.start(new Job(volume.vfs(), Wish.of(words), clock))));
            case "status" -> jobs.find(number(words), Job.class).status().lines();
            case "jobs" -> jobs.running().entrySet().stream()
                    .map(job -> job.getKey() + " " + job.getValue().about().replace('\n', ' ')).toList();
            case "cancel" -> {
                jobs.find(number(words), Undertaking.class).cancel();
                yield List.of();
            }
            case "prefetch" -> List.of(Long.toString(jobs.start(new Prefetch(volume.vfs(), Integer.parseInt(words.getFirst())))));
            case "names" -> {
                var prefetch = jobs.find(number(words), Prefetch.class);
                prefetch.add(words.subList(1, words.size()));
                yield prefetch.status().lines();
            }
            case "complete" -> {
                jobs.find(number(words), Prefetch.class).complete();
                yield List.of();
            }
            case "epochs" -> Epochs.lines(volume.vfs().epochs());
            case "unpin" -> List.of(Boolean.toString(volume.vfs().upkeep().unpin(words.getFirst())));
            case "resize" -> resize(Path.of(words.getFirst()), Long.parseLong(words.get(1)));
            default -> throw new IOException("unknown request: " + request);
        };
    }

    private static long number(List<String> words) {
        return Long.parseLong(words.getFirst());
    }

    /** Answers with the refusal, if there is one. */
    private List<String> resize(Path directory, long quotaBytes) throws IOException {
        try {
            volume.vfs().upkeep().resize(directory, quotaBytes);
            return List.of();
        } catch (PinTooLargeException refused) {
            return List.of(refused.getMessage());
        }
    }

    @Override
    public void close() {
        jobs.close();
    }
}
