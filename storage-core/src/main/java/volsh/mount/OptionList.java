package volsh.mount;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import volsh.fuse.Appearance;
import volsh.fuse.MountFlag;
import volsh.unit.Span;
import volsh.writeback.Writeback;

/**
 * Mount options as written for mount(8) and in {@code /etc/fstab}: {@code ro,noexec,uid=1000}. The last of
 * contradicting options wins. Options for mount(8), systemd or other readers of fstab are skipped; unsupported ones are
 * refused instead of ignored.
 */
public final class OptionList {
    private static final Set<String> NOT_OURS = Set.of(
            "defaults", "auto", "noauto", "user", "users", "nouser", "owner", "group", "nofail", "_netdev", "async",
            "noiversion", "silent", "loud");
    private static final Set<String> ALWAYS = Set.of("noatime", "nodiratime", "default_permissions");
    private static final Map<String, MountFlag> ON = Arrays.stream(MountFlag.values())
            .collect(Collectors.toUnmodifiableMap(MountFlag::option, flag -> flag));
    private static final Map<String, MountFlag> OFF = Map.of(
            "noacl", MountFlag.ACCESS_LISTS,
            "no_root_squash", MountFlag.ROOT_SQUASH,
            "no_all_squash", MountFlag.ALL_SQUASH,
            "rw", MountFlag.READ_ONLY,
            "nosuid", MountFlag.SET_ID,
            "nodev", MountFlag.DEVICES,
            "exec", MountFlag.NO_EXECUTION,
            "noallow_other", MountFlag.ALLOW_OTHER);

    private OptionList() {}

    /**
     * The mount with these options.
     * @throws IllegalArgumentException naming an option that is unknown, unsupported or has an invalid value
     */
    public static MountSpec apply(String list, MountSpec spec) {
        var result = spec;
        for (var option : list.split(",")) {
            result = option.isBlank() ? result : one(option.strip(), result);
        }
        return result;
    }

    private static MountSpec one(String option, MountSpec spec) {
        int equals = option.indexOf('=');
        var name = equals < 0 ? option : option.substring(0, equals);
        if (NOT_OURS.contains(name) || ALWAYS.contains(option) || name.startsWith("x-") || name.startsWith("X-")
                || name.equals("comment")) {
            return spec;
        }
        return equals < 0 ? flag(option, spec) : value(name, option.substring(equals + 1), spec);
    }

    private static MountSpec flag(String option, MountSpec spec) {
        if (ON.containsKey(option)) {
            return spec.with(ON.get(option), true);
        }
        if (OFF.containsKey(option)) {
            return spec.with(OFF.get(option), false);
        }
        if (option.equals("writeback")) {
            return spec.writeback().isPresent() ? spec : spec.with(Writeback.USUAL);
        }
        if (option.equals("volatile") && spec.writeback().isPresent()) {
            return spec.with(spec.writeback().get().inMemory());
        }
        throw new IllegalArgumentException(switch (option) {
            case "volatile" -> "mount option 'volatile' must follow 'writeback'";
            case "atime", "diratime", "relatime", "strictatime", "lazytime" ->
                    "unsupported mount option: '%s' (volsh does not keep access times)".formatted(option);
            case "remount" -> "a mount cannot be remounted: unmount it and mount it with other options (to make it "
                    + "read-only: mount -i -o remount,ro DIRECTORY)";
            case "sync", "dirsync", "mand" -> "unsupported mount option: '%s'".formatted(option);
            default -> "unknown mount option: '%s'".formatted(option);
        });
    }

    private static MountSpec value(String name, String value, MountSpec spec) {
        var shown = spec.appearance();
        return switch (name) {
            case "uid" -> spec.with(new Appearance(number(name, value, 10), shown.gid(), shown.umask()));
            case "gid" -> spec.with(new Appearance(shown.uid(), number(name, value, 10), shown.umask()));
            case "umask" -> spec.with(new Appearance(shown.uid(), shown.gid(), number(name, value, 8)));
            case "attr_timeout" -> spec.withAttributeTimeout(time(value));
            case "entry_timeout" -> spec.withEntryTimeout(time(value));
            default -> throw new IllegalArgumentException("unknown mount option: '%s'".formatted(name));
        };
    }

    private static OptionalInt number(String name, String value, int radix) {
        try {
            return OptionalInt.of(Integer.parseUnsignedInt(value, radix));
        } catch (NumberFormatException notOne) {
            throw new IllegalArgumentException("invalid number for mount option '%s': '%s'".formatted(name, value),
                    notOne);
        }
    }

    /** Seconds, as other file systems write them, or a time span with its unit. */
    private static Duration time(String value) {
        return Span.of(value.matches("[0-9.]+") ? value + "s" : value).duration();
    }
}
