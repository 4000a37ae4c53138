package volsh.command.service;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class ServiceCommands {
    private ServiceCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("service",
                "Mount and serve volumes when the machine starts, with systemd or /etc/fstab.",
                Node.command("install", ServiceInstall::new),
                Node.command("gateway", ServiceGateway::new),
                Node.command("status", ServiceStatus::new).alias("list"),
                Node.command("remove", ServiceRemove::new),
                Node.command("helper", ServiceMountProgram::new)));
    }
}
