package volsh.command;

import volsh.command.render.Columns;

/** A command that knows before it runs what its rows are made of, so that columns can be completed and checked. */
public interface Tabular {
    /** What the answer will be made of, with the options as they are set. */
    Columns<?> columns();
}
