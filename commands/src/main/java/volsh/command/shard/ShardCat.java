package volsh.command.shard;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.dataset.shards.SampleFinder;
import volsh.command.object.PlaceFlags;
import volsh.shard.Field;

@Command(name = "cat", description = {"Write a field of a sample to standard output.",
        "With an index, one ranged read gets the sample; without one, the shard is searched. A sample with a single"
                + " field needs no FIELD."})
@Examples({"volsh shard cat shards/shard-000000.tar images/cat jpg"})
final class ShardCat implements Action<Void> {
    @Parameters(index = "0", paramLabel = "SHARD", description = "Shard: here, VOL:/PATH or s3://bucket/key.")
    private String word;

    @Parameters(index = "1", paramLabel = "KEY", description = "Key of the sample.")
    private String key;

    @Parameters(index = "2", arity = "0..1", paramLabel = "FIELD", description = "Field, such as jpg or cls.")
    private @Nullable String field;

    @Mixin
    private FormatChoice format;

    @Mixin
    private PlaceFlags bucket = new PlaceFlags();

    @Override
    public Void run(Session session) throws Exception {
        try (var places = new DatasetPlaces(session, "cat", bucket)) {
            var shard = places.one(word);
            try (var open = shard.open(format.options())) {
                var sample = new SampleFinder(shard, open).find(key, session.cancellation()::check)
                        .orElseThrow(() -> CommandFailure.of(ExitCode.NOT_FOUND, "SHARD-0005",
                                "%s: no sample '%s'".formatted(shard.shown(), key))
                                .hint("volsh shard show %s --limit 10".formatted(shard.shown())));
                var names = sample.fields().stream().map(Field::name).toList();
                if (field == null && names.size() > 1 || field != null && !names.contains(field)) {
                    throw CommandFailure.of(field == null ? ExitCode.USAGE : ExitCode.NOT_FOUND, "SHARD-0006",
                            "sample '%s' has the fields %s".formatted(key, String.join(", ", names)));
                }
                var wanted = sample.fields().get(field == null ? 0 : names.indexOf(field));
                try (var in = wanted.open()) {
                    in.transferTo(session.out());
                }
            } catch (IOException failed) {
                throw ShardProblem.in(shard, failed);
            }
        }
        return null;
    }
}
