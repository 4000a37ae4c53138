package volsh.command.line;

import volsh.command.Session;

/** A service of the application: a prompt that continues after a script, {@code run -i}. */
public interface Interactive {
    /** Runs the script and then the prompt. @return the exit code */
    int after(Session session, Script script) throws Exception;

    /** Work to be done in a program before its prompt. */
    interface Script {
        /** Nothing to do first. */
        Script NONE = (_, _) -> { };

        void run(Program program, Session session) throws Exception;
    }
}
