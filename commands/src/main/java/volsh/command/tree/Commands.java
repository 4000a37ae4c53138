package volsh.command.tree;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import volsh.cache.disk.Quota;
import volsh.catalog.HistorySpan;
import volsh.catalog.KeySource;
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
import volsh.command.complete.LocalFiles;
import volsh.command.consistency.ConsistencyCommands;
import volsh.command.context.ContextCommands;
import volsh.command.demo.Demo;
import volsh.command.doctor.DoctorCommands;
import volsh.command.durability.DurabilityCommands;
import volsh.command.event.EventCommands;
import volsh.command.file.Accounts;
import volsh.command.file.FileCommands;
import volsh.command.gateway.GatewayCommands;
import volsh.command.job.JobCommands;
import volsh.command.key.KeyCommands;
import volsh.command.mount.MountCommands;
import volsh.command.place.PlaceCommands;
import volsh.command.plan.PlanCommands;
import volsh.command.quota.QuotaCommands;
import volsh.command.run.CommandTree;
import volsh.command.run.Node;
import volsh.command.service.ServiceCommands;
import volsh.command.shard.ShardCommands;
import volsh.command.snapshot.SnapshotCommands;
import volsh.command.status.StatusCommands;
import volsh.command.store.StoreCommands;
import volsh.command.sync.SyncCommands;
import volsh.command.system.SystemCommands;
import volsh.command.token.TokenCommands;
import volsh.command.trace.TraceCommands;
import volsh.command.volume.VolumeCommands;
import volsh.command.web.ConsoleCommand;
import volsh.command.web.ListenAddress;
import volsh.engine.postgres.PostgresUrl;
import volsh.meta.Consistency;
import volsh.volume.Durability;

/** Builds the command tree that the command line, the prompt, scripts, help and completion share. */
public final class Commands {
    private static final Duration ONE_SHOT_PATIENCE = Duration.ofMillis(600);

    private Commands() {}

    /** Every command, for a program that runs one and ends. */
    public static CommandTree tree(Services services) {
        return tree(services, ONE_SHOT_PATIENCE);
    }

    /** Every command. Completion gets live names from {@code services}, and waits at most {@code patience} for them. */
    public static CommandTree tree(Services services, Duration patience) {
        var nodes = new ArrayList<Node>();
        nodes.addAll(VolumeCommands.nodes());
        nodes.addAll(StoreCommands.nodes());
        nodes.addAll(QuotaCommands.nodes());
        nodes.addAll(TokenCommands.nodes());
        nodes.addAll(KeyCommands.nodes());
        nodes.addAll(FileCommands.nodes());
        nodes.addAll(SyncCommands.nodes());
        nodes.addAll(MountCommands.nodes());
        nodes.addAll(CacheCommands.nodes());
        nodes.addAll(DurabilityCommands.nodes());
        nodes.addAll(ConsistencyCommands.nodes());
        nodes.addAll(ServiceCommands.nodes());
        nodes.addAll(StatusCommands.nodes());
        nodes.addAll(CheckpointCommands.nodes());
        nodes.addAll(SnapshotCommands.nodes());
        nodes.addAll(ShardCommands.nodes());
        nodes.addAll(PlanCommands.nodes());
        nodes.addAll(BenchCommands.nodes());
        nodes.addAll(ContextCommands.nodes());
        nodes.addAll(JobCommands.nodes(() -> tree(services, patience)));
        nodes.addAll(SystemCommands.nodes());
        nodes.addAll(DoctorCommands.nodes());
        nodes.add(Node.command("console", () -> new ConsoleCommand(() -> tree(services, patience))));
        nodes.addAll(GatewayCommands.nodes());
        nodes.addAll(TraceCommands.nodes());
        nodes.addAll(EventCommands.nodes());
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
                .with(Retention.class, Retention::of)
                .with(Consistency.class, Consistency::of)
                .with(HistorySpan.class, HistorySpan::of)
                .with(KeySource.class, KeySource::of)
                .with(ListenAddress.class, ListenAddress::of);
    }

    /** Live names, with more description at a prompt, which waits less and lives longer. */
    private static CompletionSources names(Services services, Duration patience) {
        var live = new LiveNames(services, patience.equals(CompletionSources.PROMPT_PATIENCE));
        CompletionSource volumes = live.source();
        var runs = new LiveRuns(services);
        var settings = new LiveSettings(services);
        var sources = GatewayCommands.names(UsualValues.into(new CompletionSources(patience)), services);
        return FileCommands.names(sources, services, volumes)
                .with("VOLUME", volumes)
                .with("VOLUME|DIRECTORY", prefix -> joined(volumes.candidates(prefix), live.mounts()))
                .with("MOUNT", _ -> live.mounts())
                .with("VOLUME@NAME", new SnapshotNames(services, volumes))
                .with("TOKEN", new TokenNames(services))
                .with("STORE", _ -> live.stores())
                .with("JOB", _ -> live.jobs())
                .with("RUN", runs.runs())
                .with("--step", runs.steps())
                .with("A", runs.steps())
                .with("B", runs.steps())
                .with("BEFORE", _ -> runs.benches())
                .with("BASELINE", _ -> runs.baselines())
                .with("AFTER", _ -> runs.benches())
                .with("USER", _ -> candidates(new Accounts().users(), "user"))
                .with("GROUP", _ -> candidates(new Accounts().groups(), "group"))
                .with("POOL", _ -> live.pools())
                .with("PID", _ -> live.processes())
                .with("DEVICE", _ -> LiveNames.devices())
                .with("PATH", new LocalFiles())
                .with("SHARD", new LocalFiles())
                .with("SHARDS", new LocalFiles())
                .with("SOURCE", new LocalFiles())
                .with("TARGET", new LocalFiles())
                .with("--at", new PastTimes(services))
                .with("SETTING=VALUE", settings.assignments())
                .with("KEY=VALUE", _ -> settings.usedLabels());
    }

    private static List<Candidate> joined(List<Candidate> some, List<Candidate> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    private static List<Candidate> candidates(List<String> names, String what) {
        return names.stream().map(name -> Candidate.name(name, what)).toList();
    }
}
