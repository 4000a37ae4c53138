package volsh.command.status;

import java.util.ArrayList;
import java.util.List;
import volsh.command.Session;
import volsh.mount.Mounts;

/** Jobs of mounts: loading, pinning, prefetching by a list. */
final class JobLook implements Look {
    @Override
    public List<Question> questions(Session session, Terms terms) throws Exception {
        var mounts = session.service(Mounts.class);
        var questions = new ArrayList<Question>();
        for (var status : terms.mounts()) {
            if (status.state() == Mounts.State.OK) {
                for (var job : mounts.jobs(status.record().mountPoint())) {
                    var name = "%s#%d".formatted(status.record().mountPoint(), job.number());
                    questions.add(new Question("job", name, "",
                            () -> StatusRow.of("job", name, Health.OK, job.about(), "")));
                }
            }
        }
        return questions;
    }
}
