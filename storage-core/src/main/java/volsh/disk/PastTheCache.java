package volsh.disk;

import java.nio.file.OpenOption;
import java.util.Arrays;
import java.util.Optional;

/** The option for files that bypass the kernel's cache; address, offset and length must be multiples of 4 KiB. */
public final class PastTheCache {
    private static final Optional<OpenOption> OPTION = find();

    private PastTheCache() {}

    /** Empty in a runtime without it. */
    public static Optional<OpenOption> option() {
        return OPTION;
    }

    /** By name, because javac warns of the package it is in. */
    private static Optional<OpenOption> find() {
        try {
            var options = Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants();
            return Arrays.stream(options).filter(option -> option.toString().equals("DIRECT"))
                    .map(OpenOption.class::cast).findFirst();
        } catch (ClassNotFoundException elsewhere) {
            return Optional.empty();
        }
    }
}
