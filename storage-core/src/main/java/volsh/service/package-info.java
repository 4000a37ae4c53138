/**
 * Mounts that are restored on boot: systemd units written, found and removed, and the helper through which mount(8) and
 * /etc/fstab mount volumes. Knows mounts and files; runs nothing.
 */
package volsh.service;
