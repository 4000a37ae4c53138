package volsh.ship;

import java.util.UUID;
import volsh.engine.KeyFacts;
import volsh.engine.MetaKey;

/**
 * The volume whose metadata is shipped, and the host that ships.
 *
 * @param volume  the volume's id
 * @param host    the name of this machine
 * @param setting the setting of the volume that describes it
 */
public record Identity(UUID volume, String host, String setting) {
    MetaKey about() {
        return KeyFacts.setting(setting);
    }
}
