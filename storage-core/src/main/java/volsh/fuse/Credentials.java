package volsh.fuse;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import volsh.proc.KernelFile;

/**
 * The groups and the capability {@code CAP_FSETID} of a thread, from /proc. A thread waits for its request to be
 * answered, so this is the requesting one. A thread that does not exist is in no group and has no capability.
 */
record Credentials(Set<Integer> groups, boolean keepsSetId) {
    private static final Credentials NONE = new Credentials(Set.of(), false);
    private static final int CAP_FSETID = 4;

    static Credentials of(int thread) {
        try {
            return parse(KernelFile.text(Path.of("/proc", Integer.toString(thread), "status")));
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
                // the last is the file system gid
                case "Gid:" -> groups.add(Integer.parseUnsignedInt(words[words.length - 1]));
                case "Groups:" -> Arrays.stream(words).skip(1).map(Integer::parseUnsignedInt).forEach(groups::add);
                case "CapEff:" -> keeps = (Long.parseUnsignedLong(words[1], 16) >>> CAP_FSETID & 1) != 0;
                default -> { }   // not needed
            }
        }
        return new Credentials(Set.copyOf(groups), keeps);
    }
}
