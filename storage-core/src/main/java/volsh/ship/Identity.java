package volsh.ship;

import java.util.UUID;
import volsh.engine.KeyFacts;
import volsh.engine.MetaKey;

/**
 * Whose metadata is shipped, and by whom.
 *
 * @param volume  the volume's id
 * @param host    this machine, as people know it
 * @param setting the setting of the volume that says what it is
 */
public record Identity(UUID volume, String host, String setting) {
    MetaKey about() {
        return KeyFacts.setting(setting);
    }
}
