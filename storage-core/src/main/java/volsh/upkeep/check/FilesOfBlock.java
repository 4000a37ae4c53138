package volsh.upkeep.check;

import java.util.List;

/** The files with bytes in a block: the first of them, and how many more there are. */
record FilesOfBlock(List<Long> inodes, long more) {
    FilesOfBlock {
        inodes = List.copyOf(inodes);
    }
}
