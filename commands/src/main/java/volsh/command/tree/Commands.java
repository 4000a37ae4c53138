package volsh.command.tree;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import volsh.cache.Quota;
import volsh.codec.Compression;
import volsh.command.Converters;
import volsh.command.Services;
import volsh.command.builtin.Builtins;
import volsh.command.cache.CacheCommands;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSources;
import volsh.command.demo.Demo;
import volsh.command.durability.DurabilityCommands;
import volsh.command.file.FileCommands;
import volsh.command.mount.MountCommands;
import volsh.command.run.CommandTree;
import volsh.command.run.Node;
import volsh.command.service.ServiceCommands;
import volsh.command.store.StoreCommands;
import volsh.command.volume.VolumeCommands;
import volsh.meta.postgres.PostgresUrl;
import volsh.volume.Durability;
import volsh.volume.Volumes;

/** Plants the tree that the command line, the prompt, scripts, help and completion share. */
public final class Commands {
    private static final Duration ONE_SHOT_PATIENCE = Duration.ofSeconds(1);

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
        nodes.add(Node.command("demo", () -> new Demo(Commands::tree)));
        return Builtins.tree(nodes, converters(), names(services, patience));
    }

    private static Converters converters() {
        return Converters.standard().with(Compression.class, Compression::of).with(PostgresUrl.class, PostgresUrl::of).with(Quota.class, Quota::of).with(Durability.State.class, Durability.State::of);
    }

    /**
     * From the names of the catalog's files: nothing is opened, nothing is parsed; only paths look into one directory
     * of a volume.
     */
    private static CompletionSources names(Services services, Duration patience) {
        return FileCommands.names(new CompletionSources(patience), services)
                .with("VOLUME", prefix -> candidates(services.of(Volumes.class).names(), "volume"))
                .with("VOLUME|DIRECTORY", prefix -> candidates(services.of(Volumes.class).names(), "volume"))
                .with("STORE", prefix -> candidates(services.of(Volumes.class).storeNames(), "store"))
                .with("CODEC", prefix -> candidates(List.of("none", "lz4", "zstd:3"), "compression"));
    }

    private static List<Candidate> candidates(List<String> names, String what) {
        return names.stream().map(name -> Candidate.name(name, what)).toList();
    }
}
