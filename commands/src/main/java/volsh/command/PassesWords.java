package volsh.command;

/** A command whose first argument ends its options: all following words belong to what it runs. */
public interface PassesWords {}
