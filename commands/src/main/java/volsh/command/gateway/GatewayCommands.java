package volsh.command.gateway;

import java.util.List;
import volsh.command.run.Node;

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
}
