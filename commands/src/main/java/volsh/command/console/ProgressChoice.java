package volsh.command.console;

/** The values of {@code --progress}. */
public enum ProgressChoice { AUTO, NONE, JSON }
