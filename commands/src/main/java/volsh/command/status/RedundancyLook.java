package volsh.command.status;

import java.util.ArrayList;
import java.util.List;
import volsh.command.Session;
import volsh.volume.Volumes;

/** Volumes with several stores: whether all copies and parts of their blocks exist. */
final class RedundancyLook implements Look {
    @Override
    public List<Question> questions(Session session, Terms terms) throws Exception {
        var volumes = session.service(Volumes.class);
        var questions = new ArrayList<Question>();
        for (var spec : volumes.readable()) {
            if (spec.stores().size() > 1) {
                questions.add(new Question("redundancy", spec.name(), "volsh store list",
                        () -> row(volumes, spec.name())));
            }
        }
        return questions;
    }

    private static StatusRow row(Volumes volumes, String name) throws Exception {
        var redundancy = volumes.spreading().redundancy(name);
        return StatusRow.of("redundancy", name, redundancy.isWhole() ? Health.OK : Health.AT_RISK,
                redundancy.toString(), redundancy.next());
    }
}
