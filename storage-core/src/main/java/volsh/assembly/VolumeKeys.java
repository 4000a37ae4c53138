package volsh.assembly;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import volsh.catalog.KeySource;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeEncryption;
import volsh.catalog.VolumeEncryption.State;
import volsh.catalog.VolumeSpec;
import volsh.codec.FrameEncryption;
import volsh.crypt.KeySecret;
import volsh.crypt.Sealing.NotOpenedException;
import volsh.crypt.VolumeKey;
import volsh.crypt.WrappedKey;
import volsh.disk.Disk;
import volsh.fs.ShellWord;
import volsh.secret.Secrets;

/**
 * The keys of the encrypted volumes that this process has opened, and where this machine finds the secrets that open
 * them. A key that was opened once is kept for the life of the process and given to the processes it starts, so that a
 * passphrase is asked for once.
 */
public final class VolumeKeys {
    /** The name of the first wrapping of a key. */
    public static final String FIRST = "default";

    private static final String FILE = "key-source";
    private static final int SOURCE_MAX = 8192;
    private static final String HANDED = "volume-key-";

    private final Disk disk;
    private final Function<VolumeSpec, Path> directory;
    private final KeySecrets secrets;
    private final Map<UUID, VolumeKey> open = new ConcurrentHashMap<>();

    /** {@code directory} is where this machine keeps what it knows of a volume. */
    VolumeKeys(Disk disk, Function<VolumeSpec, Path> directory) {
        this.disk = disk;
        this.directory = directory;
        this.secrets = new KeySecrets();
    }

    /** The variables of the environment that open volumes of which this directory has records. */
    public static Set<String> variables(Path volumes) {
        var names = new HashSet<String>();
        try (var all = Files.newDirectoryStream(volumes)) {
            for (var volume : all) {
                var file = volume.resolve(FILE);
                if (Files.isRegularFile(file) && KeySource.of(Files.readString(file).strip())
                        instanceof KeySource.Environment variable) {
                    names.add(variable.name());
                }
            }
        } catch (IOException | IllegalArgumentException unknown) {
            return names;   // the process that needs a key says what is wrong
        }
        return names;
    }

    public KeySecrets secrets() {
        return secrets;
    }

    /**
     * How the blocks of a volume are encrypted.
     *
     * @throws Refusal FORBIDDEN if it is, and the key cannot be had or is another one
     */
    public FrameEncryption of(VolumeSpec spec) throws IOException {
        return switch (spec.encryption().state()) {
            case OFF -> FrameEncryption.NONE;
            case UNDERWAY -> FrameEncryption.underway(key(spec));
            case ON -> FrameEncryption.with(key(spec));
        };
    }

    /** The volume's key, which then opens it in this process and in those it starts. */
    public VolumeKey key(VolumeSpec spec) throws IOException {
        var known = open.get(spec.id());
        if (known != null) {
            return known;
        }
        var handed = Secrets.key(handedName(spec.id()));
        var key = handed.isPresent() ? VolumeKey.parse(handed.get())
                : unlock(spec, source(spec).orElseThrow(() -> unknown(spec)));
        keep(spec, key);
        return key;
    }

    private void keep(VolumeSpec spec, VolumeKey key) {
        open.put(spec.id(), key);
        Secrets.giveKey(handedName(spec.id()), key.text());
    }

    /** Under which name processes give each other the key of a volume. */
    public static String handedName(UUID volume) {
        return HANDED + volume;
    }

    /** The key, by the secret from this source. @throws Refusal FORBIDDEN if the secret does not open the volume */
    private VolumeKey unlock(VolumeSpec spec, KeySource source) throws IOException {
        var secret = secrets.read(source, spec);
        for (var wrapped : spec.encryption().keys()) {
            if (wrapped.suits(secret)) {
                try {
                    return wrapped.unwrap(spec.id(), secret);
                } catch (NotOpenedException another) {
                    // perhaps the next one
                }
            }
        }
        throw new Refusal(Reason.FORBIDDEN,
                "wrong key for volume '%s': none of its %d keys opens with %s".formatted(
                        spec.name(), spec.encryption().keys().size(), source),
                "volsh key list " + ShellWord.of(spec.name()), KeySecrets.useHint(spec));
    }

    private static Refusal unknown(VolumeSpec spec) {
        return new Refusal(Reason.FORBIDDEN,
                "volume '%s' is encrypted, and this machine does not know where its key is".formatted(spec.name()),
                KeySecrets.useHint(spec));
    }

    /**
     * Checks that this machine can open a volume, as far as that is known without asking a person and without running a
     * command. @throws Refusal if it cannot
     */
    public void requireAtHand(VolumeSpec spec) throws IOException {
        if (spec.encryption().isOn()) {
            switch (source(spec).orElseThrow(() -> unknown(spec))) {
                case KeySource.File file -> unlock(spec, file);
                case KeySource.Environment(var name) -> KeySecrets.requireVariable(name, spec);
                case KeySource.Passphrase _, KeySource.Command _ -> { }
            }
        }
    }

    /** From now on this machine takes the secret from there. @throws Refusal FORBIDDEN if it is a wrong one */
    public void use(VolumeSpec spec, KeySource source) throws IOException {
        requireShort(source);
        unlock(spec, source);
        remember(spec, source);
    }

    /** A new volume with a new key. Nothing is written yet: see {@link #remember}. */
    public VolumeSpec encrypt(VolumeSpec spec, KeySource source) throws IOException {
        requireShort(source);
        var key = VolumeKey.random();
        var wrapped = WrappedKey.wrap(spec.id(), FIRST, key, secrets.readNew(source, spec.name()));
        keep(spec, key);
        return spec.encrypted(new VolumeEncryption(State.ON, List.of(wrapped)));
    }

    private static void requireShort(KeySource source) throws Refusal {
        if (source.toString().getBytes(StandardCharsets.UTF_8).length >= SOURCE_MAX) {
            throw new Refusal(Reason.INVALID, "the source of the key is longer than %d bytes".formatted(SOURCE_MAX));
        }
    }

    /** The volume with one more wrapping, or another in the place of one of that name. */
    public VolumeSpec wrap(VolumeSpec spec, String label, KeySource source) throws IOException {
        KeySecret secret = secrets.readNew(source, spec.name());
        return spec.encrypted(spec.encryption().with(WrappedKey.wrap(spec.id(), label, key(spec), secret)));
    }

    /** Where this machine finds the secret of a volume. */
    public Optional<KeySource> source(VolumeSpec spec) throws IOException {
        try {
            return Optional.of(KeySource.of(read(directory.apply(spec).resolve(FILE)).strip()));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IllegalArgumentException damaged) {
            throw new Refusal(Reason.DAMAGED, "%s: %s".formatted(directory.apply(spec).resolve(FILE),
                    damaged.getMessage()), damaged, KeySecrets.useHint(spec));
        }
    }

    private String read(Path path) throws IOException {
        try (var file = disk.open(path)) {
            var bytes = ByteBuffer.allocate((int) Math.min(file.size(), SOURCE_MAX));
            file.read(bytes, 0);
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        }
    }

    /** From now on this machine takes the secret of a volume from there. */
    public void remember(VolumeSpec spec, KeySource source) throws IOException {
        var place = directory.apply(spec);
        var draft = place.resolve(FILE + ".new");
        disk.makeDirectories(place);
        disk.delete(draft);
        try (var file = disk.create(draft)) {
            file.write(ByteBuffer.wrap((source + "\n").getBytes(StandardCharsets.UTF_8)), 0);
            file.sync();
        }
        disk.rename(draft, place.resolve(FILE));
        disk.syncDirectory(place);
    }
}
