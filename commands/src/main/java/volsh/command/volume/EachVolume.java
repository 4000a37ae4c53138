package volsh.command.volume;

import java.io.IOException;
import java.util.List;
import volsh.command.Session;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.volume.Volumes;

/** Asks volumes one after the other: one that cannot be asked is a warning and does not hide the others, unless it is the only one that was named. */
public final class EachVolume {
    private EachVolume() {}

    /** What is asked of a volume. */
    public interface Question {
        void ask(String volume) throws Exception;
    }

    /** Asks those that are named, or all. @return PARTIAL if one could not be asked */
    public static ExitCode ask(Session session, List<String> named, Question question) throws Exception {
        var volumes = session.service(Volumes.class);
        for (String name : named) {
            volumes.find(name);
        }
        var code = ExitCode.OK;
        for (String name : named.isEmpty() ? volumes.names() : named) {
            session.cancellation().check();
            try {
                question.ask(name);
            } catch (IOException closed) {
                if (named.size() == 1) {
                    throw closed;
                }
                code = ExitCode.PARTIAL;
                session.warn("volume '%s' cannot be asked: %s".formatted(name, Diagnosis.of(closed).message()));
            }
        }
        return code;
    }
}
