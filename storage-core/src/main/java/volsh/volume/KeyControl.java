package volsh.volume;

import java.io.IOException;
import java.util.Optional;
import volsh.assembly.KeySecrets;
import volsh.assembly.VolumeKeys;
import volsh.assembly.VolumeParts;
import volsh.catalog.KeySource;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeEncryption;
import volsh.catalog.VolumeSpec;
import volsh.fs.ShellWord;

/**
 * The keys of encrypted volumes: secrets of which each opens the volume. Adding and removing one rewrites no data; the
 * key that encrypts the blocks stays the same.
 */
public final class KeyControl {
    private final VolumeRegistry volumes;
    private final VolumeParts parts;
    private final Recording recording;

    /** Changes a volume's record in its metadata and in the catalog, one process at a time. */
    interface Recording {
        VolumeSpec change(String name, Change change) throws IOException;
    }

    /** A new record for an old one. */
    interface Change {
        VolumeSpec apply(VolumeSpec before) throws IOException;
    }

    KeyControl(VolumeRegistry volumes, VolumeParts parts, Recording recording) {
        this.volumes = volumes;
        this.parts = parts;
        this.recording = recording;
    }

    /** From now on passphrases are asked for so. */
    public void onAsk(KeySecrets.Asker asker) {
        parts.keys().secrets().onAsk(asker);
    }

    /** Has the volume's key ready for this process and those it starts. Nothing if it is not encrypted. */
    public void unlock(VolumeSpec spec) throws IOException {
        parts.keys().of(spec);
    }

    /** Checks that this machine can open it, without asking a person. @throws Refusal if it is known that it cannot */
    public void requireAtHand(VolumeSpec spec) throws IOException {
        parts.keys().requireAtHand(spec);
    }

    /** Where this machine finds the secret of a volume. */
    public Optional<KeySource> source(VolumeSpec spec) throws IOException {
        return parts.keys().source(spec);
    }

    /** A volume with its keys. @throws Refusal INVALID if it is not encrypted */
    public VolumeSpec list(String name) throws IOException {
        return encrypted(volumes.latest(name));
    }

    /** @throws Refusal CONFLICT if there is a key of this name, or no room for one more */
    public void checkAdd(String name, String label, KeySource source) throws IOException {
        requireFree(list(name), label, source);
    }

    private static void requireFree(VolumeSpec before, String label, KeySource source) throws Refusal {
        VolumeSpec.requireName("key", label);
        if (before.encryption().labels().contains(label)) {
            throw new Refusal(Reason.CONFLICT,
                    "volume '%s' has a key '%s' already".formatted(before.name(), label),
                    "volsh key rotate %s %s %s".formatted(before.name(), label, ShellWord.of(source)));
        }
        if (before.encryption().labels().size() == VolumeEncryption.KEYS_MAX) {
            throw new Refusal(Reason.CONFLICT, "volume '%s' has %d keys, the most it can have"
                    .formatted(before.name(), VolumeEncryption.KEYS_MAX), "volsh key list " + before.name());
        }
    }

    /** One more secret opens the volume. @throws Refusal CONFLICT if there is a key of this name */
    public VolumeSpec add(String name, String label, KeySource source) throws IOException {
        return recording.change(name, before -> {
            requireFree(encrypted(before), label, source);
            return parts.keys().wrap(before, label, source);
        });
    }

    /** Another secret opens the volume in the place of the one of this name, which does so no more. */
    public VolumeSpec rotate(String name, String label, KeySource source) throws IOException {
        return recording.change(name, before -> {
            requireKey(before, label);
            return parts.keys().wrap(before, label, source);
        });
    }

    /** The secret of this name opens the volume no more. @throws Refusal CONFLICT if it is the last one */
    public VolumeSpec remove(String name, String label) throws IOException {
        return recording.change(name, before -> before.encrypted(without(before, label)));
    }

    /** @throws Refusal NOT_FOUND, or CONFLICT if it is the last one */
    public void checkRemove(String name, String label) throws IOException {
        without(list(name), label);
    }

    private static VolumeEncryption without(VolumeSpec before, String label) throws Refusal {
        requireKey(before, label);
        if (before.encryption().labels().size() == 1) {
            throw new Refusal(Reason.CONFLICT,
                    "'%s' is the last key of volume '%s': without it, its data would be lost"
                            .formatted(label, before.name()),
                    "volsh key add %s second passphrase".formatted(before.name()));
        }
        return before.encryption().without(label);
    }

    /** @throws Refusal NOT_FOUND if the volume has no key of this name */
    public void requireKey(String name, String label) throws IOException {
        requireKey(list(name), label);
    }

    private static void requireKey(VolumeSpec spec, String label) throws Refusal {
        if (!encrypted(spec).encryption().labels().contains(label)) {
            throw new Refusal(Reason.NOT_FOUND, "volume '%s' has no key '%s'".formatted(spec.name(), label),
                    "volsh key list " + spec.name()).among(label,
                    spec.encryption().labels());
        }
    }

    /**
     * This machine takes the secret from there from now on. @throws Refusal FORBIDDEN if it does not open the volume
     */
    public void use(String name, KeySource source) throws IOException {
        parts.keys().use(list(name), source);
    }

    private static VolumeSpec encrypted(VolumeSpec spec) throws Refusal {
        if (!spec.encryption().isOn()) {
            throw new Refusal(Reason.INVALID, "volume '%s' is not encrypted".formatted(spec.name()),
                    "volsh volume create %s-2 --encrypt passphrase".formatted(spec.name()));
        }
        return spec;
    }
}
