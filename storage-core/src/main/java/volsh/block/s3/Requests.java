package volsh.block.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import volsh.block.Abort;

/**
 * What is asked of single objects: one request each, one attempt. A refusal or other bad answer is thrown as the SDK does, as an
 * {@code AwsServiceException}; trouble on the way also as an IOException.
 */
interface Requests extends AutoCloseable {
    /** Fills the target with the object's bytes from {@code offset} on, as far as there are any; returns how many. */
    int get(String object, long offset, ByteBuffer target, Abort abort) throws IOException;

    /** Looks whether it is there. */
    void head(String object) throws IOException;

    void put(String object, ByteBuffer data) throws IOException;

    /** Whether there was nothing under this name. */
    boolean putIfAbsent(String object, ByteBuffer data) throws IOException;

    void delete(String object) throws IOException;

    @Override
    void close();
}
