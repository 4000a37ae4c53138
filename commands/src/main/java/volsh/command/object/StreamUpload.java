package volsh.command.object;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectStore;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;
import volsh.transfer.Summary;

/** Puts a stream of unknown length: at once if it is short, else in parts, one after the other. */
record StreamUpload(ObjectStore store, String key, int part) {
    Summary run(InputStream in) throws IOException {
        byte[] buffer = new byte[part];
        int count = in.readNBytes(buffer, 0, part);
        if (count < part) {
            store.put(key, ByteBuffer.wrap(buffer, 0, count), ObjectHeaders.NONE, PutCondition.ALWAYS);
            return new Summary(1, 0, count, 0);
        }
        long bytes = 0;
        try (var upload = store.upload(key, ObjectHeaders.NONE)) {
            int number = 0;
            for (; count > 0; count = in.readNBytes(buffer, 0, part)) {
                if (number == ObjectUpload.PARTS_MAX) {
                    throw new IOException("%s: more than %,d parts; use a larger --part".formatted(key, number));
                }
                upload.part(++number, ByteBuffer.wrap(buffer, 0, count));
                bytes += count;
            }
            upload.complete(number, PutCondition.ALWAYS);
        }
        return new Summary(1, 0, bytes, 0);
    }
}
