package volsh.image;

import com.github.luben.zstd.Zstd;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import net.jpountz.lz4.LZ4Factory;

/**
 * A program that uses every native library of the image once; {@link NativeLibrariesTest} runs it inside the image.
 * Its last argument names a database to create.
 */
final class NativeProbe {
    private NativeProbe() {}

    public static void main(String[] arguments) throws Exception {
        byte[] data = "some bytes, some bytes, some bytes".getBytes(StandardCharsets.UTF_8);
        var lz4 = LZ4Factory.nativeInstance();
        byte[] small = lz4.fastCompressor().compress(data);
        System.out.println("lz4 " + lz4.safeDecompressor().decompress(small, data.length).length);
        System.out.println("zstd " + Zstd.decompress(Zstd.compress(data), data.length).length);
        System.out.println("zstd direct " + Zstd.compress(ByteBuffer.allocateDirect(64), 3).remaining());
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + arguments[arguments.length - 1]);
                var statement = connection.createStatement()) {
            statement.execute("create table t(x)");
            try (var rows = statement.executeQuery("select sqlite_version()")) {
                System.out.println("sqlite " + rows.getString(1));
            }
        }
    }
}
