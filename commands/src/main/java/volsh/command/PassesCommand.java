package volsh.command;

/** A command whose arguments are another command with its arguments. */
public interface PassesCommand extends PassesWords {}
