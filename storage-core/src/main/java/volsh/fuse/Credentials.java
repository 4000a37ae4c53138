package volsh.fuse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The groups and the capability {@code CAP_FSETID} of a thread, from /proc. A thread waits for its request to be answered, so this is about the
 * one that asks. Of a thread that is not there, nothing is known: it is in no group and may do nothing.
 */
record Credentials(Set<Integer> groups, boolean keepsSetId) {
    private static final Credentials NONE = new Credentials(Set.of(), false);
    private static final int CAP_FSETID = 4;

    static Credentials of(int thread) {
        try {
            return parse(Files.readString(Path.of("/proc", Integer.toString(thread), "status"), StandardCharsets.ISO_8859_1));
        } catch (IOException gone) {
            return NONE;
        }
    }

    static Credentials parse(String status) {
        var groups = new HashSet<Integer>();
        boolean keeps = false;
        for (var line : status.lines().toList()) {
            var words = line.split("\\s+");
            switch (words[0]) {
                case "Gid:" -> groups.add(Integer.parseUnsignedInt(words[words.length - 1]));   // that for file systems is the last
                case "Groups:" -> Arrays.stream(words).skip(1).map(Integer::parseUnsignedInt).forEach(groups::add);
                case "CapEff:" -> keeps = (Long.parseUnsignedLong(words[1], 16) >>> CAP_FSETID & 1) != 0;
                default -> { }   // says other things
            }
        }
        return new Credentials(Set.copyOf(groups), keeps);
    }
}
