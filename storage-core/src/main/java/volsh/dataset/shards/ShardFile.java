package volsh.dataset.shards;

import java.io.IOException;
import java.util.Optional;
import volsh.dataset.DatasetDirectory;
import volsh.shard.FormatOptions;
import volsh.shard.SampleReader;
import volsh.shard.ShardFormat;
import volsh.shard.format.Formats;

/** A shard by its place: a directory and a name in it. */
public record ShardFile(DatasetDirectory directory, String name) {
    /** As messages name it. */
    public String shown() {
        return directory.shown(name);
    }

    public long size() throws IOException {
        return directory.find(name).size();
    }

    /**
     * Opens it with the format that its bytes or its name tell. @throws volsh.shard.DamagedShardException if none does
     */
    public OpenedShard open(FormatOptions options) throws IOException {
        return open(options, directory.open(name));
    }

    /** The same, by way of {@code file}, which the opened shard closes. */
    OpenedShard open(FormatOptions options, DatasetDirectory.OpenShard file) throws IOException {
        try {
            var format = Formats.detect(name, file);
            return new OpenedShard(file, format, Formats.reader(format, options, file));
        } catch (IOException | RuntimeException failed) {
            file.close();
            throw failed;
        }
    }

    /** A shard and the reader of its samples. */
    public record OpenedShard(DatasetDirectory.OpenShard file, ShardFormat format, SampleReader reader)
            implements AutoCloseable {
        @Override
        public void close() throws IOException {
            reader.close();
            file.close();
        }
    }

    /** The index beside it. @throws IOException if it is not one */
    public Optional<ShardIndex> index() throws IOException {
        return ShardIndex.beside(directory, name);
    }
}
