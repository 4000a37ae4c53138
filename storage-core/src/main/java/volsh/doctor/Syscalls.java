package volsh.doctor;

import java.util.Map;
import java.util.Set;
import volsh.doctor.Pipeline.Stage;

/** The numbers of the system calls that use files, which differ between machines. */
record Syscalls(Set<Integer> opening, Set<Integer> reading, Set<Integer> writing) {
    private static final Syscalls X86 = new Syscalls(
            Set.of(2, 4, 5, 6, 21, 78, 89, 217, 257, 262, 267, 269, 332, 437, 439),
            Set.of(0, 17, 19, 26, 295, 327, 326, 40), Set.of(1, 18, 20, 74, 75, 277, 296, 328));
    private static final Syscalls ARM = new Syscalls(
            Set.of(48, 56, 61, 78, 79, 80, 291, 437, 439), Set.of(63, 65, 67, 69, 71, 227, 285, 286),
            Set.of(64, 66, 68, 70, 82, 83, 84, 287));
    private static final Map<String, Syscalls> MACHINES = Map.of("amd64", X86, "x86_64", X86, "aarch64", ARM);

    static Syscalls ofThisMachine() {
        return MACHINES.getOrDefault(System.getProperty("os.arch"), X86);
    }

    Stage stage(int number) {
        return opening.contains(number) ? Stage.OPEN : reading.contains(number) ? Stage.READ
                : writing.contains(number) ? Stage.WRITE
                : Stage.WAIT;
    }
}
