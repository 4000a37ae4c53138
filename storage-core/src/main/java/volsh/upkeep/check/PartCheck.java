package volsh.upkeep.check;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import volsh.block.BlockKey;
import volsh.fs.BlockRow;
import volsh.inventory.Row;

/** Compares what the stores of a volume have of each block with what they should have. */
final class PartCheck {
    private final StoredBlocks stored;
    private final BlockParts parts;
    private final Findings findings;

    PartCheck(StoredBlocks stored, Findings findings) {
        this.stored = stored;
        this.parts = stored.parts().orElseThrow();
        this.findings = findings;
    }

    /** Reports stores that could not be checked. */
    void away() {
        parts.away().forEach((number, why) ->
                findings.add(Finding.of(Damage.STORE_AWAY, "store '%s'".formatted(parts.store(number)), why, null)));
    }

    /** {@code listed} are store, shard and size of the objects; {@code deep} reads the block if {@code reads}. */
    void run(BlockRow row, List<BlockParts.Wanted> listed, FilesOfBlock files, boolean reads, DeepRead deep)
            throws IOException {
        List<BlockParts.Wanted> wanted;
        try {
            wanted = parts.of(row);
        } catch (IOException unknown) {
            found(Damage.BLOCK_ROW_WRONG, row, String.valueOf(unknown.getMessage()), files);
            return;
        }
        for (var object : listed) {
            if (wanted.stream().noneMatch(part -> part.store() == object.store() && part.shard() == object.shard())) {
                found(Damage.OBJECT_UNUSED, row, "%d bytes in store '%s'%s".formatted(object.length(), parts.store(
                        object.store()), object.shard() == BlockParts.WHOLE ? "" : ", shard " + object.shard()), files);
            }
        }
        if (reads) {
            deep.readParts(row, files);
        } else if (wanted.stream()
                .anyMatch(part -> !listed.contains(part) && !parts.away().containsKey(part.store()))) {
            look(row, files, false);   // the listing may be older than the block
        }
    }

    void look(BlockRow row, FilesOfBlock files, boolean deep) throws IOException {
        var look = parts.look(row, deep);
        tell(Damage.STORE_AWAY, row, look.unseen(), files);
        if (look.isRight()) {
            tell(Damage.PART_MISSING, row, look.missing(), files);
            tell(Damage.PART_CORRUPT, row, look.damaged(), files);
        } else if (look.unknown() == 0 && !(look.damaged().isEmpty() && waits(row))) {
            var wrong = new ArrayList<>(look.missing());
            wrong.addAll(look.damaged());
            found(look.damaged().isEmpty() ? Damage.OBJECT_MISSING : Damage.OBJECT_CORRUPT, row,
                    String.join(", ", wrong), files);
        }
    }

    private void tell(Damage damage, BlockRow row, List<String> which, FilesOfBlock files) {
        if (!which.isEmpty()) {
            found(damage, row, String.join(", ", which), files);
        }
    }

    /** Whether it is in a journal of this host, on its way to the stores. */
    private boolean waits(BlockRow row) {
        try {
            return stored.store().get(BlockKey.of(row.id()), row.storedSize() - 1, ByteBuffer.allocateDirect(2)) == 1;
        } catch (IOException no) {
            return false;
        }
    }

    private void found(Damage damage, BlockRow row, String detail, FilesOfBlock files) {
        findings.add(Finding.ofBlock(damage, row.id(), detail, Row.from('b', row.id()), row.storedSize(), files));
    }
}
