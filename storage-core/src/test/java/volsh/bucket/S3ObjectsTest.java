package volsh.bucket;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import volsh.block.StoreUrl;
import volsh.object.ObjectStore;
import volsh.object.ObjectStoreContract;
import volsh.s3test.S3Server;

/** The contract on a real server, below a prefix. */
@Tag("volume")
final class S3ObjectsTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open() throws IOException {
        var server = S3Server.shared();
        return OpenBuckets.open(StoreUrl.of("s3://%s/below?endpoint=%s&anonymous=true"
                .formatted(server.newBucket(), server.endpoint())));
    }
}
