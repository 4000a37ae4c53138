package volsh.command.console;

/** What {@code --progress} says. */
public enum ProgressChoice { AUTO, NONE, JSON }
