package volsh.command.doctor;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class DoctorCommands {
    private DoctorCommands() {}

    public static List<Node> nodes() {
        return List.of(
                Node.command("doctor", DoctorRun::new).with(
                        Node.command("throughput", DoctorThroughput::new),
                        Node.command("pipeline", DoctorPipeline::new),
                        Node.command("assert", DoctorAssert::new)),
                Node.command("stats", StatsAll::new),
                Node.command("top", Top::new),
                Node.command("metrics", Metrics::new));
    }
}
