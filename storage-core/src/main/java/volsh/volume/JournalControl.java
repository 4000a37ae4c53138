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

/** The journals of volumes, and what waits in them. */
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

    /** The journals of the volume on this host, of processes that run and of dead ones. */
    public List<JournalRow> here(String name) throws IOException {
        try (var engine = parts.openMetadata(volumes.find(name))) {
            return new Journals(engine).list().stream().filter(JournalDirectory::isHere).toList();
        }
    }

    /**
     * The journals of the volume, with what waits in them. Those on this host are counted again, because a process that
     * was killed could not. Blocks that it had stored may be counted too, so this is for volumes that are not in use.
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

    /** The journals on this host that this process had when it ended, and that no other has taken over since. */
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
