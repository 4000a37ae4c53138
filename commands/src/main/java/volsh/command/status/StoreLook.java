package volsh.command.status;

import java.util.ArrayList;
import java.util.List;
import volsh.command.Session;
import volsh.volume.Volumes;

/** Stores: whether they answer a request that changes nothing. */
final class StoreLook implements Look {
    @Override
    public List<Question> questions(Session session, Terms terms) throws Exception {
        var volumes = session.service(Volumes.class);
        var questions = new ArrayList<Question>();
        for (var name : volumes.storeNames()) {
            questions.add(new Question("store", name, "volsh store probe " + name, true, sends -> {
                volumes.reach(name, sends);
                long free = volumes.free(volumes.storeNamed(name)).orElse(Long.MAX_VALUE);
                if (free < HomeLook.FULL) {
                    return StatusRow.of("store", name, Health.FULL, "%s, no space left on its disk".formatted(volumes.storeNamed(name).url()), "volsh df");
                }
                return StatusRow.of("store", name, Health.OK, volumes.storeNamed(name).url().toString(), "");
            }));
        }
        return questions;
    }
}
