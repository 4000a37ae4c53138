package volsh.block.s3;

import java.io.IOException;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import volsh.block.BlockStore;
import volsh.block.BlockStoreContract;
import volsh.block.StoreUrl;
import volsh.s3test.Fault;
import volsh.s3test.FaultProxy;
import volsh.s3test.Faults;
import volsh.s3test.S3Server;

/**
 * The contract again, while every tenth request goes wrong. Only flipped bits of answers are left to the frames above.
 */
@Tag("volume")
final class S3FaultyContractTest implements BlockStoreContract {
    private static final EnumSet<Fault> KINDS = EnumSet.complementOf(EnumSet.of(Fault.FLIPPED_REPLY));

    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private FaultProxy proxy;

    @Override
    public BlockStore open() throws IOException {
        System.out.println("faulty contract seed " + seed);
        var server = S3Server.shared();
        proxy = new FaultProxy(server.port(), new Faults(0.1, KINDS, seed));
        return S3FaultsTest.retrying(S3BlockStore.open(StoreUrl.of("s3://%s?endpoint=%s&anonymous=true&timeout=1500ms"
                .formatted(server.newBucket(), proxy.endpoint()))));
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
    }
}
