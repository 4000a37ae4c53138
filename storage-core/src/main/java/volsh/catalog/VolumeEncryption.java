package volsh.catalog;

import java.util.ArrayList;
import java.util.List;
import volsh.crypt.WrappedKey;

/**
 * Whether the blocks of a volume are encrypted, and its key in every wrapping that opens it. Part of the volume's
 * record, so wherever its metadata goes, the wrapped key goes too.
 */
public record VolumeEncryption(State state, List<WrappedKey> keys) {
    public static final VolumeEncryption NONE = new VolumeEncryption(State.OFF, List.of());

    /** More wrappings of one key are refused. */
    public static final int KEYS_MAX = 32;

    public enum State {
        OFF,
        /** New blocks are encrypted, older ones may not be. */
        UNDERWAY,
        ON
    }

    public VolumeEncryption {
        keys = List.copyOf(keys);
        if (state == State.OFF != keys.isEmpty() || keys.size() > KEYS_MAX
                || keys.stream().map(WrappedKey::label).distinct().count() != keys.size()) {
            throw new IllegalArgumentException("an encrypted volume has 1 to %d keys with different names, not %s"
                    .formatted(KEYS_MAX, keys));
        }
    }

    public boolean isOn() {
        return state != State.OFF;
    }

    /** What the keys are called. */
    public List<String> labels() {
        return keys.stream().map(WrappedKey::label).toList();
    }

    /** With this wrapping, in the place of one of the same name. */
    public VolumeEncryption with(WrappedKey key) {
        var more = new ArrayList<>(keys);
        more.removeIf(each -> each.label().equals(key.label()));
        more.add(key);
        return new VolumeEncryption(state, more);
    }

    /** Without this wrapping. The last one stays: without any, the data would be lost. */
    public VolumeEncryption without(String label) {
        return new VolumeEncryption(state, keys.stream().filter(key -> !key.label().equals(label)).toList());
    }
}
