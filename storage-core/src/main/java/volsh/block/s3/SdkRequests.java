package volsh.block.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import volsh.block.Abort;

/** By the SDK: whatever it knows of Amazon's hosts, and proxies. */
record SdkRequests(Sdk sdk, Place place) implements Requests {
    @Override
    public int get(String object, long offset, ByteBuffer target, Abort abort) throws IOException {
        String range = "bytes=%d-%d".formatted(offset, offset + target.remaining() - 1);
        return AbortableHttp.call(abort, () -> sdk.client().getObject(
                request -> request.bucket(place.bucket()).key(object).range(range), new RangeReader(offset, target)));
    }

    @Override
    public void head(String object) throws IOException {
        sdk.client().headObject(request -> request.bucket(place.bucket()).key(object));
    }

    @Override
    public void put(String object, ByteBuffer data) throws IOException {
        upload().put(object, data);
    }

    @Override
    public boolean putIfAbsent(String object, ByteBuffer data) throws IOException {
        return upload().putIfAbsent(object, data);
    }

    private Upload upload() throws IOException {
        return new Upload(sdk.client(), place, Long.MAX_VALUE);
    }

    @Override
    public void delete(String object) throws IOException {
        sdk.client().deleteObject(request -> request.bucket(place.bucket()).key(object));
    }

    @Override
    public void close() {}
}
