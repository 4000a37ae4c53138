package volsh.ship;

import java.io.IOException;

/** Another host has attached the volume, so nothing of this copy is shipped any more. Retrying does not help. */
public final class AttachedElsewhereException extends IOException {
    private final transient Fence fence;

    AttachedElsewhereException(Fence fence) {
        super(fence.toString());
        this.fence = fence;
    }

    public Fence fence() {
        return fence;
    }
}
