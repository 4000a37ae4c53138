package volsh.volume;

import java.util.Optional;
import volsh.assembly.PlacedBlocks;
import volsh.block.BlockStore;
import volsh.block.Counted;
import volsh.codec.FrameEncryption;
import volsh.pack.PackedStore;
import volsh.writeback.VolumeJournals;

/**
 * Where an open volume has its blocks.
 *
 * @param counted  its part of the store, or of all its stores as one
 * @param packed   the same with small blocks that share objects
 * @param readable the same with blocks that still wait in journals of this host
 * @param placed   which store has which block; empty if there is one store
 * @param journals the journals that are stored from here; empty if there are none
 * @param encryption how their frames are encrypted
 */
record OpenStores(
        Counted counted, PackedStore packed, BlockStore readable, Optional<PlacedBlocks> placed,
        Optional<VolumeJournals> journals, FrameEncryption encryption) {
    OpenStores with(Optional<VolumeJournals> opened) {
        return new OpenStores(counted, packed, readable, placed, opened, encryption);
    }

    /** Where blocks are written first: into a journal, if there is one. */
    BlockStore first() {
        return journals.<BlockStore>map(VolumeJournals::staging).orElse(readable);
    }

    /** Where blocks are when they survive the loss of this host. */
    BlockStore lasting() {
        return readable;
    }

    boolean isStaging() {
        return journals.filter(VolumeJournals::isStaging).isPresent();
    }
}
