package volsh.command.tree;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import volsh.cache.Quota;
import volsh.checkpoint.Retention;
import volsh.codec.Compression;
import volsh.command.Converters;
import volsh.command.Services;
import volsh.command.bench.BenchCommands;
import volsh.command.builtin.Builtins;
import volsh.command.cache.CacheCommands;
import volsh.command.checkpoint.CheckpointCommands;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSource;
import volsh.command.complete.CompletionSources;
import volsh.command.demo.Demo;
import volsh.command.durability.DurabilityCommands;
import volsh.command.file.FileCommands;
import volsh.command.mount.MountCommands;
import volsh.command.place.PlaceCommands;
import volsh.command.plan.PlanCommands;
import volsh.command.run.CommandTree;
import volsh.command.run.Node;
import volsh.command.service.ServiceCommands;
import volsh.command.store.StoreCommands;
import volsh.command.volume.VolumeCommands;
import volsh.meta.postgres.PostgresUrl;
import volsh.volume.Durability;

/** Plants the tree that the command line, the prompt, scripts, help and completion share. */
public final class Commands {
    private static final Duration ONE_SHOT_PATIENCE = Duration.ofMillis(600);

    private Commands() {}

    /** Every command, for a program that runs one and ends. */
    public static CommandTree tree(Services services) {
        return tree(services, ONE_SHOT_PATIENCE);
    }

    /** Every command. Completion asks {@code services} for live names, and waits so long for them. */
    public static CommandTree tree(Services services, Duration patience) {
        var nodes = new ArrayList<Node>();
        nodes.addAll(VolumeCommands.nodes());
        nodes.addAll(StoreCommands.nodes());
        nodes.addAll(FileCommands.nodes());
        nodes.addAll(MountCommands.nodes());
        nodes.addAll(CacheCommands.nodes());
        nodes.addAll(DurabilityCommands.nodes());
        nodes.addAll(ServiceCommands.nodes());
        nodes.addAll(CheckpointCommands.nodes());
        nodes.addAll(PlanCommands.nodes());
        nodes.addAll(BenchCommands.nodes());
        nodes.addAll(PlaceCommands.nodes());
        nodes.add(Node.command("demo", () -> new Demo(Commands::tree)));
        return Builtins.tree(nodes, converters(), names(services, patience));
    }

    private static Converters converters() {
        return Converters.standard()
                .with(Compression.class, Compression::of)
                .with(Quota.class, Quota::of)
                .with(PostgresUrl.class, PostgresUrl::of)
                .with(Durability.State.class, Durability.State::of)
                .with(Retention.class, Retention::of);
    }

    /** Live names: at a prompt, which waits less and lives longer, with more told about them. */
    private static CompletionSources names(Services services, Duration patience) {
        var live = new LiveNames(services, patience.equals(CompletionSources.PROMPT_PATIENCE));
        CompletionSource volumes = live.source();
        return FileCommands.names(new CompletionSources(patience), services, volumes)
                .with("VOLUME", volumes)
                .with("VOLUME|DIRECTORY", prefix -> joined(volumes.candidates(prefix), live.mounts()))
                .with("MOUNT", _ -> live.mounts())
                .with("STORE", _ -> live.stores())
                .with("LAYOUT", _ -> candidates(List.of("stripe:all", "stripe:1", "mirror:2", "mirror:3", "ec:4+2", "ec:10+4"), "layout"))
                .with("CODEC", _ -> candidates(List.of("none", "lz4", "zstd:3"), "compression"));
    }

    private static List<Candidate> joined(List<Candidate> some, List<Candidate> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    private static List<Candidate> candidates(List<String> names, String what) {
        return names.stream().map(name -> Candidate.name(name, what)).toList();
    }
}
