package volsh.dataset.shards;

import java.io.IOException;
import java.util.Optional;
import volsh.shard.Sample;
import volsh.shard.UnfitSampleException;

/** Finds a sample of a shard by its key: through the index, if there is one, else by searching. */
public record SampleFinder(ShardFile shard, ShardFile.OpenedShard open) {
    /** Called before each sample that is looked at; throws to stop. */
    public Optional<Sample> find(String key, Runnable before) throws IOException {
        var index = shard.index();
        if (index.isPresent()) {
            for (var entry : index.get().entries()) {
                if (entry.position().key().equals(key)) {
                    return Optional.of(open.reader().at(entry.position()));
                }
            }
            return Optional.empty();
        }
        while (true) {
            before.run();
            try {
                var sample = open.reader().next();
                if (sample == null || sample.key().equals(key)) {
                    return Optional.ofNullable(sample);
                }
            } catch (UnfitSampleException odd) {
                // no sample; verify tells
            }
        }
    }
}
