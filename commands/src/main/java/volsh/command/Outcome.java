package volsh.command;

import volsh.command.failure.ExitCode;

/** A value together with an exit code other than 0, such as a report in which some items failed. */
public record Outcome<T>(T value, ExitCode exit) {}
