package volsh.block.s3;

import java.io.IOException;
import volsh.block.BlockStoreContract;
import volsh.s3test.S3Server;

/** The contract once more, with the SDK doing every request. */
final class S3SdkContractTest implements BlockStoreContract {
    @Override
    public S3BlockStore open() throws IOException {
        var server = S3Server.shared();
        return S3BlockStore.openBySdk(S3BlockStoreTest.url(server, server.newBucket()));
    }
}
