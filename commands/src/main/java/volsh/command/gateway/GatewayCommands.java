package volsh.command.gateway;

import java.util.List;
import volsh.catalog.Home;
import volsh.command.Services;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSources;
import volsh.command.run.Node;
import volsh.gateway.AccessKeys;
import volsh.gateway.GatewayRecords;

/** The commands of this package. */
public final class GatewayCommands {
    private GatewayCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("gateway", "Serve volumes over S3, for programs that read and write buckets.",
                Node.command("s3", GatewayS3::new),
                Node.command("list", GatewayList::new).alias("ls"),
                Node.command("stats", GatewayStats::new),
                Node.command("stop", GatewayStop::new),
                Node.group("key", "Create, list and revoke the access keys of gateways.",
                        Node.command("create", GatewayKeyCreate::new),
                        Node.command("list", GatewayKeyList::new).alias("ls"),
                        Node.command("revoke", GatewayKeyRevoke::new))));
    }

    /** Adds the names of gateways that run, and of access keys. */
    public static CompletionSources names(CompletionSources sources, Services services) {
        return sources
                .with("GATEWAY", _ -> new GatewayRecords(services.of(Home.class).state()).list().stream()
                        .map(gateway -> Candidate.name(gateway.url().replaceAll(".*:", ""),
                                gateway.url() + " " + String.join(",", gateway.volumes()))).toList())
                .with("ACCESSKEY", _ -> new AccessKeys(services.of(Home.class).state()).list().stream()
                        .map(key -> Candidate.name(key.id(), (key.readOnly() ? "reads " : "writes ")
                                + (key.volumes().isEmpty() ? "all volumes" : String.join(",", key.volumes()))))
                        .toList());
    }
}
