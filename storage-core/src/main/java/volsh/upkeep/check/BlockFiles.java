package volsh.upkeep.check;

import java.util.List;

/** The files that have bytes in a block: the first of them, and how many more there are. */
record BlockFiles(List<Long> inodes, long more) {
    BlockFiles {
        inodes = List.copyOf(inodes);
    }
}
