package volsh.command.line;

import java.io.IOException;
import java.io.OutputStream;
import volsh.command.Session;

/** The outlet of a script's jobs: the script's own output. */
record WholeLines(Session session) implements Outlet {
    @Override
    public void write(byte[] lines, boolean error) {
        OutputStream target = error ? session.host().err() : session.out();
        try {
            synchronized (this) {
                target.write(lines);
                target.flush();
            }
        } catch (IOException nobodyListens) {
            // the script fails when it writes itself
        }
    }

    @Override
    public void tell(String message) {
        session.say(message);
    }
}
