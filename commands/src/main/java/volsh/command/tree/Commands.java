package volsh.command.tree;

import java.util.ArrayList;
import java.util.List;
import volsh.codec.Compression;
import volsh.command.Converters;
import volsh.command.Services;
import volsh.command.builtin.Builtins;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSources;
import volsh.command.mount.MountCommands;
import volsh.command.run.CommandTree;
import volsh.command.run.Node;
import volsh.command.store.StoreCommands;
import volsh.command.volume.VolumeCommands;
import volsh.volume.Volumes;

/** Plants the tree that the command line, the prompt, scripts, help and completion share. */
public final class Commands {
    private Commands() {}

    /** Every command. Completion asks {@code services} for live names. */
    public static CommandTree tree(Services services) {
        var nodes = new ArrayList<Node>();
        nodes.addAll(VolumeCommands.nodes());
        nodes.addAll(StoreCommands.nodes());
        nodes.addAll(MountCommands.nodes());
        return Builtins.tree(nodes, converters(), names(services));
    }

    private static Converters converters() {
        return Converters.standard().with(Compression.class, Compression::of);
    }

    /** From the names of the catalog's files: nothing is opened, nothing is parsed. */
    private static CompletionSources names(Services services) {
        return new CompletionSources()
                .with("VOLUME", prefix -> candidates(services.of(Volumes.class).names(), "volume"))
                .with("STORE", prefix -> candidates(services.of(Volumes.class).storeNames(), "store"))
                .with("CODEC", prefix -> candidates(List.of("none", "lz4", "zstd:3"), "compression"));
    }

    private static List<Candidate> candidates(List<String> names, String what) {
        return names.stream().map(name -> Candidate.name(name, what)).toList();
    }
}
