package volsh.command.volume;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class VolumeCommands {
    private VolumeCommands() {}

    public static List<Node> nodes() {
        return List.of(
                Node.group("volume", "Create, show, change, attach and destroy volumes.",
                        Node.command("create", VolumeCreate::new),
                        Node.command("ensure", VolumeEnsure::new),
                        Node.command("list", VolumeList::new).alias("ls"),
                        Node.command("show", VolumeShow::new),
                        Node.command("set", VolumeSet::new),
                        Node.command("rename", VolumeRename::new),
                        Node.command("sessions", VolumeSessions::new),
                        Node.command("gc", VolumeGc::new),
                        Node.command("ship", VolumeShip::new),
                        Node.command("attach", VolumeAttach::new),
                        Node.command("detach", VolumeDetach::new),
                        Node.command("check", VolumeCheck::new),
                        Node.command("stats", VolumeStats::new),
                        Node.command("compact", VolumeCompact::new),
                        Node.command("advise", VolumeAdvise::new),
                        Node.command("dump", VolumeDump::new),
                        Node.command("load", VolumeLoad::new),
                        Node.command("destroy", VolumeDestroy::new)).alias("vol"),
                Node.command("df", Df::new));
    }
}
