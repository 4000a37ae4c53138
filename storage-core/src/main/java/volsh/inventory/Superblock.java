package volsh.inventory;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import volsh.engine.Delta;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Owner;
import volsh.meta.Edit;
import volsh.meta.Namespace;
import volsh.meta.NodeRow;
import volsh.meta.Quotas;
import volsh.meta.Session;
import volsh.meta.Sessions;
import volsh.meta.Ticks;
import volsh.quota.QuotaRule;

/** The volume as a whole: its settings, its root, and its usage. */
public final class Superblock {
    private final MetaEngine engine;
    private final InstantSource clock;

    public Superblock(MetaEngine engine, InstantSource clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /** Creates the root directory and the first settings. @throws FsException EXISTS if there is already a volume */
    public void format(Owner owner, int mode, String setting, byte[] value) throws IOException {
        format(owner, mode, setting, value, 0, QuotaRule.NONE);
    }

    /**
     * The same, in one transaction with what the volume has from its first moment on: {@code history} is for how many
     * seconds old states are kept, -1 for ever; {@code quota} how many bytes it may hold.
     */
    public void format(Owner owner, int mode, String setting, byte[] value, long history, long quota)
            throws IOException {
        engine.transact(tx -> {
            if (tx.get(Keys.node(Namespace.ROOT)) != null) {
                throw new FsException(FsError.EXISTS, "a volume already exists here");
            }
            var edit = new Edit(tx, clock.instant(), 0);
            edit.putNode(Namespace.ROOT, new NodeRow(
                    FileKind.DIRECTORY, NodeRow.Storage.NONE, mode, owner.uid(), owner.gid(), 2, 0, 0, 0,
                    Namespace.ROOT, 0, 0, edit.now, edit.now, edit.now, 1));
            edit.useRoot();
            tx.put(Keys.setting(setting), value);
            if (history != 0) {
                Ticks.retain(edit, history);
            }
            if (quota != QuotaRule.NONE) {
                Quotas.limit(edit, quota);
            }
            return null;
        });
    }

    public Optional<byte[]> setting(String name) throws IOException {
        return engine.read(tx -> Optional.ofNullable(tx.get(Keys.setting(name))));
    }

    /** Parses a setting, or handles its absence. */
    @FunctionalInterface
    public interface Reader<T> {
        T read(Optional<byte[]> value) throws IOException;
    }

    /** The value of a setting. @throws MetaDamagedException if the reader cannot parse it */
    public <T> T setting(String name, Reader<T> reader) throws IOException {
        return engine.read(tx -> read(name, tx, reader));
    }

    private static <T> T read(String name, MetaEngine.Transaction tx, Reader<T> reader) throws IOException {
        var value = Optional.ofNullable(tx.get(Keys.setting(name)));
        try {
            return reader.read(value);
        } catch (RuntimeException | IOException nonsense) {
            throw MetaDamagedException.of(Keys.setting(name), "cannot be read: " + nonsense.getMessage(), nonsense);
        }
    }

    public void set(String name, byte[] value) throws IOException {
        engine.transact(tx -> {
            tx.put(Keys.setting(name), value);
            return null;
        });
    }

    /** Changes a setting atomically; the change may run more than once. */
    public void change(String name, UnaryOperator<Optional<byte[]>> change) throws IOException {
        engine.transact(tx -> {
            tx.put(Keys.setting(name), read(name, tx, change::apply).orElse(new byte[0]));
            return null;
        });
    }

    /** {@link VolumeUsage#UNKNOWN} for a token that does not see the counters. */
    public VolumeUsage usage() throws IOException {
        return engine.read(tx -> {
            var total = VolumeUsage.NONE;
            var rows = tx.scan(Keys.kind('U'), Keys.kind('U').afterPrefix(), 256);
            if (rows.isEmpty() && engine.isReadOnly()) {   // there is always one, because the root is counted
                return VolumeUsage.UNKNOWN;
            }
            for (var row : rows) {
                total = total.plus(Delta.parse(row.value()));
            }
            return total;
        });
    }

    /** How many directories there are; empty if an earlier volsh made the volume, or for a token of a path. */
    public OptionalLong directories() throws IOException {
        return engine.read(tx -> {
            var total = new Delta(new long[2], new long[0]);
            for (var row : tx.scan(Keys.directories(), Keys.directories().afterPrefix(), 256)) {
                total = total.plus(Delta.parse(row.value()));
            }
            return total.sums()[1] == 0 ? OptionalLong.empty() : OptionalLong.of(total.sums()[0]);
        });
    }

    /** Bytes of blocks that are parts of imported objects; none of them is in a store of the volume. */
    public long importedBytes() throws IOException {
        return engine.read(tx -> {
            long total = 0;
            for (var row : tx.scan(Keys.imported(), Keys.imported().afterPrefix(), 256)) {
                total += Delta.parse(row.value()).sums()[0];
            }
            return total;
        });
    }

    /** Ends the volume for all sessions, before it is destroyed. @return the live sessions in the way, unless forced */
    public List<Session> retire(boolean force) throws IOException {
        return sessions().retire(force);
    }

    public Sessions sessions() {
        return new Sessions(engine, clock);
    }
}
