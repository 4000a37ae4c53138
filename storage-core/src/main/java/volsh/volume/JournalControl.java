package volsh.volume;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import volsh.assembly.VolumeParts;
import volsh.disk.Disk;
import volsh.inventory.JournalRow;
import volsh.inventory.Journals;
import volsh.writeback.JournalDirectory;

/** The journals of volumes: which there are on this host, and what waits in them. */
public final class JournalControl {
    private final VolumeRegistry volumes;
    private final VolumeParts parts;
    private final Disk disk;
    private final InstantSource clock;

    JournalControl(VolumeRegistry volumes, VolumeParts parts, Disk disk, InstantSource clock) {
        this.volumes = volumes;
        this.parts = parts;
        this.disk = disk;
        this.clock = clock;
    }

    /** Is this journal on this host? */
    public static boolean isHere(JournalRow journal) {
        return JournalDirectory.isHere(journal);
    }

    /** The journals of the volume on this host, of processes that run and of those that left them. */
    public List<JournalRow> here(String name) throws IOException {
        try (var engine = parts.openMetadata(volumes.find(name))) {
            return new Journals(engine).list().stream().filter(JournalDirectory::isHere).toList();
        }
    }

    /**
     * What waits in journals of the volume. What processes left on this host is counted anew: one that was killed did not get to it. Blocks that
     * it had stored may be among them, so this is for volumes that nobody works on.
     */
    public List<JournalRow> left(String name) throws IOException {
        var rows = new ArrayList<JournalRow>();
        try (var engine = parts.openMetadata(volumes.find(name))) {
            for (var row : new Journals(engine).list()) {
                rows.add(JournalDirectory.isHere(row) ? JournalDirectory.counted(row, disk, clock) : row);
            }
        }
        return rows;
    }

    /** The same of the journals on this host that a process had when it ended, and nobody has taken over since. */
    public List<JournalRow> leftBy(String name, long pid) throws IOException {
        var rows = new ArrayList<JournalRow>();
        try (var engine = parts.openMetadata(volumes.find(name))) {
            for (var row : new Journals(engine).list()) {
                if (JournalDirectory.isHere(row) && JournalDirectory.isOf(row, pid)) {
                    rows.add(JournalDirectory.counted(row, disk, clock));
                }
            }
        }
        return rows;
    }
}
