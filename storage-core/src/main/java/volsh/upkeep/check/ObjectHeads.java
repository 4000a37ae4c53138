package volsh.upkeep.check;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import volsh.block.BlockKey;
import volsh.block.NoSuchBlockException;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.CorruptBlockException;
import volsh.fs.BlockRow;
import volsh.fs.ImportedBlock;

/** Reads the headers of objects: a stored block begins with everything its row needs. */
public record ObjectHeads(StoredBlocks stored, UUID volume) {
    /** The row of a block according to its object; empty if the object is missing or incomplete. */
    public Optional<BlockRow> row(long id, long owner) throws IOException {
        if (ImportedBlock.is(id)) {
            return Optional.empty();   // an object of others does not say what it was imported as
        }
        var identity = new BlockIdentity(volume, id);
        var found = stored.parts().isEmpty() ? Optional.of(BlockKey.of(id, 0, 0)) : stored.parts().get().find(id);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        var key = found.get();
        try {
            var header = read(key, BlockCodec.headerLength());
            var head = read(key, BlockCodec.headLength(identity, header));
            var index = BlockCodec.open(identity, head);
            var last = ByteBuffer.allocateDirect(2);
            if (stored.store().get(key, index.storedSize() - 1, last) != 1) {
                return Optional.empty();
            }
            return Optional.of(new BlockRow(
                    id, index.rawSize(), index.storedSize(), key.arrangement(), owner, index.toBytes()));
        } catch (NoSuchBlockException | CorruptBlockException notThere) {
            return Optional.empty();
        }
    }

    private ByteBuffer read(BlockKey key, int length) throws IOException {
        var bytes = ByteBuffer.allocateDirect(length);
        stored.store().get(key, 0, bytes);
        return bytes.flip();
    }
}
