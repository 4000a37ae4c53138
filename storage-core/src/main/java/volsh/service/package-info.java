/**
 * Mounts and gateways that are restored on boot: systemd units written, found and removed, and the helper through which
 * mount(8) and /etc/fstab mount volumes. Knows mounts and files; runs nothing.
 */
@NullMarked
package volsh.service;

import org.jspecify.annotations.NullMarked;
