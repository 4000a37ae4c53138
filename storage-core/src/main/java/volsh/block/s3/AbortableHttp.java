package volsh.block.s3;

import java.io.IOException;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.utils.AttributeMap;
import volsh.block.Abort;

/**
 * Lets another thread end a request, whatever it waits for: the SDK hands requests to its HTTP client in the thread that calls
 * it, and here they are told to that call's {@link Abort}.
 */
record AbortableHttp(SdkHttpClient client) implements SdkHttpClient {
    private static final ScopedValue<Abort> ABORT = ScopedValue.newInstance();

    /** A call of the SDK that may be aborted. */
    interface Call {
        int run() throws IOException;
    }

    static int call(Abort abort, Call call) throws IOException {
        return ScopedValue.where(ABORT, abort).call(call::run);
    }

    static SdkHttpClient.Builder<?> over(SdkHttpClient.Builder<?> builder) {
        return new Over(builder);
    }

    private record Over(SdkHttpClient.Builder<?> builder) implements SdkHttpClient.Builder<Over> {
        @Override
        public SdkHttpClient buildWithDefaults(AttributeMap defaults) {
            return new AbortableHttp(builder.buildWithDefaults(defaults));
        }
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        var prepared = client.prepareRequest(request);
        if (ABORT.isBound()) {
            ABORT.get().by(prepared::abort);
        }
        return prepared;
    }

    @Override
    public String clientName() {
        return client.clientName();
    }

    @Override
    public void close() {
        client.close();
    }
}
