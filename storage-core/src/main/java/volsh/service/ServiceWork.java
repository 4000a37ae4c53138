package volsh.service;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What a unit runs: a mount or a gateway. */
public sealed interface ServiceWork permits MountWork, GatewayWork {
    /** The name of its unit. */
    String unitName();

    /** What is mounted or served. */
    String source();

    /** One line about it. */
    String description();

    /** How {@code volsh service remove} is told which service is meant. */
    String service();

    /** The command whose manual page explains it. */
    String page();

    /** The words after {@code volsh} that run it in the foreground. */
    List<String> start();

    /** Those that end it; empty if a signal does. */
    List<String> stop();

    /** The directory whose file system must be mounted before. */
    Optional<Path> requires();

    /** A line of the unit by which it is found again: its key, and the value. */
    String key();

    String value();
}
