package volsh.command;

/** A command whose first argument ends its options: all words behind belong to what it runs. */
public interface PassesWords {}
