package volsh.command.volume;

import java.io.IOException;
import java.util.List;
import volsh.command.Session;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.volume.Volumes;

/** Queries volumes one after the other. A volume that fails gives a warning, unless it is the only one named. */
public final class EachVolume {
    private EachVolume() {}

    /** A query of one volume. */
    public interface Question {
        void ask(String volume) throws Exception;
    }

    /** Queries the named volumes, or all. @return PARTIAL if one failed */
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
                session.warn("cannot read volume '%s': %s".formatted(name, Diagnosis.of(closed).message()));
            }
        }
        return code;
    }
}
