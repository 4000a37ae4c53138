package volsh.command.file;

import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import volsh.catalog.Moment;
import volsh.catalog.VolumePath;
import volsh.command.Session;
import volsh.fs.ShellWord;

/** The option {@code --at}: the time as of which a volume is read. */
public final class AtOption {
    @Option(names = "--at", paramLabel = "TIME", parameterConsumer = NextWord.class,
            description = "Read the volume as of a time such as 2026-11-01T10:00Z, an age (-2h), or a snapshot (@v1)."
                    + " Snapshots can also be named in the path: VOL@v1:/path.")
    private @Nullable String time;

    /** Takes the next word as the value, even one like {@code -1h}: some commands have an option {@code -1}. */
    static final class NextWord implements IParameterConsumer {
        @Override
        public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec command) {
            if (words.isEmpty()) {
                throw new ParameterException(command.commandLine(),
                        "Missing required parameter for option '--at' (TIME)");
            }
            option.setValue(words.pop());
        }
    }

    public boolean isGiven() {
        return time != null;
    }

    /** The option as it was given, to type it again. */
    public String words() {
        return time == null ? "" : " --at " + ShellWord.of(time);
    }

    /** The path that the word names, at the requested time. */
    VolumePath place(Session session, String word) {
        return in(session, VolumePath.of(word));
    }

    /** The same path at the requested time. */
    public VolumePath in(Session session, VolumePath place) {
        return time == null ? place : place.at(Moment.of(time, session.clock().instant()));
    }
}
