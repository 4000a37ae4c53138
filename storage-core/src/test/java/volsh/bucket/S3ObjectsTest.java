package volsh.bucket;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.block.StoreUrl;
import volsh.object.ObjectStore;
import volsh.object.ObjectStoreContract;
import volsh.s3test.S3Server;

/** The contract on a real server, below a prefix, with both kinds of checksums. */
@Tag("volume")
@ParameterizedClass
@ValueSource(strings = {"crc32c", "md5"})
final class S3ObjectsTest extends ObjectStoreContract {
    private final String checksum;

    S3ObjectsTest(String checksum) {
        this.checksum = checksum;
    }

    @Override
    protected ObjectStore open() throws IOException {
        var server = S3Server.shared();
        return OpenBuckets.open(StoreUrl.of("s3://%s/below?endpoint=%s&anonymous=true&checksum=%s"
                .formatted(server.newBucket(), server.endpoint(), checksum)));
    }
}
