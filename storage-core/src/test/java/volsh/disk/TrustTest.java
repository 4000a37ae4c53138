package volsh.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which directories and files are trusted, on a real file system with real owners. */
final class TrustTest {
    private static final int NOBODY = 65534;
    private static final int ALICE = 1000;

    @TempDir
    Path temporary;
    private Path place;
    private final Trust trust = Trust.ofThisProcess();

    @BeforeEach
    void prepare() throws IOException {
        place = Files.createDirectory(temporary.toRealPath().resolve("place"));
    }

    private static Path mode(Path path, int mode) throws IOException {
        Files.setAttribute(path, "unix:mode", mode);
        return path;
    }

    /** Needs root. */
    private static Path give(Path path, int uid, int gid) throws IOException {
        assumeTrue((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0);
        Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(path, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
        return path;
    }

    private static Trust.Flaw flaw(Path path, String reason, String fix) {
        return new Trust.Flaw(path, reason, fix);
    }

    @Test
    void whatOnlyWeCanWriteToIsTrusted() throws IOException {
        assertThat(trust.ofDirectory(mode(place, 0755))).isEmpty();
        assertThat(trust.ofDirectory(place.resolve("not/there/yet"))).isEmpty();
        assertThat(trust.ofFile(mode(Files.createFile(place.resolve("f")), 0644))).isEmpty();
        trust.require(place);
    }

    @Test
    void neitherEverybodyNorAGroupMayWriteToIt() throws IOException {
        assertThat(trust.ofDirectory(mode(place, 0777)))
                .contains(flaw(place, "it is world-writable", "chmod go-w " + place));
        assertThat(trust.ofDirectory(mode(place, 01777))).as("the sticky bit does not keep others from making files")
                .isPresent();
        assertThatThrownBy(() -> trust.require(place)).isInstanceOf(UntrustedException.class)
                .hasMessageContaining("it is world-writable");
        give(mode(place, 0775), 0, 100);
        assertThat(trust.ofDirectory(place))
                .contains(flaw(place, "it is writable by group 100", "chmod go-w " + place));
        give(place, 0, 0);
        assertThat(trust.ofDirectory(place)).isEmpty();
    }

    @Test
    void theGroupOfOneUserIsNobodyElse() {
        var alice = new Trust(ALICE, Trust.owners(ALICE, Map.of(), true));
        assertThat(alice.distrust(ALICE, ALICE, 0775)).isEmpty();
        assertThat(alice.distrust(ALICE, 100, 0775)).isPresent();
        assertThat(alice.distrust(0, 0, 0755)).isEmpty();
        assertThat(alice.distrust(1001, 1001, 0755)).contains("it belongs to user 1001, not to root or user 1000");
    }

    @Test
    void whatBelongsToSomebodyElseIsNotTrusted() throws IOException {
        give(mode(place, 0700), NOBODY, NOBODY);
        assertThat(trust.ofDirectory(place))
                .contains(flaw(place, "it belongs to user 65534, not to root or user 0", "chown 0 " + place));
        assertThat(new Trust(ALICE, Set.of(0, ALICE)).ofDirectory(place).orElseThrow().fix()).isEqualTo(
                "create your own: mkdir -m 700 " + place.resolve("volsh-1000"));
    }

    @Test
    void whoBecameRootBySudoIsTrustedAndWhomTheNamespaceDoesNotKnow() {
        assertThat(Trust.owners(0, Map.of("SUDO_UID", "1000"), true)).containsExactlyInAnyOrder(0, ALICE);
        assertThat(Trust.owners(ALICE, Map.of("SUDO_UID", "1001"), true)).as("only root believes it")
                .containsExactlyInAnyOrder(0, ALICE);
        assertThat(Trust.owners(0, Map.of("SUDO_UID", "-1"), true)).containsExactly(0);
        assertThat(Trust.owners(0, Map.of(), false)).containsExactlyInAnyOrder(0, NOBODY);
    }

    @Test
    void aLinkIsFollowedOnlyIfItIsOurs() throws IOException {
        var link = Files.createSymbolicLink(temporary.toRealPath().resolve("link"), Path.of("place"));
        assertThat(trust.ofDirectory(link))
                .contains(flaw(link, "it is a symbolic link", "use its target instead: " + place));
        assertThat(trust.ofLinkedDirectory(link)).isEmpty();
        assertThat(trust.ofDirectory(link.resolve("below"))).as("further up it is ours to say").isEmpty();
        mode(place, 0777);
        assertThat(trust.ofLinkedDirectory(link)).as("what it leads to counts").isPresent();
        mode(place, 0700);
        give(link, NOBODY, NOBODY);
        assertThat(trust.ofLinkedDirectory(link))
                .contains(flaw(link, "it is a symbolic link owned by user 65534", "ls -ld " + link));
        assertThat(trust.ofDirectory(link.resolve("below"))).isPresent();
    }

    @Test
    void circlesOfLinksEnd() throws IOException {
        var one = Files.createSymbolicLink(place.resolve("one"), Path.of("two"));
        Files.createSymbolicLink(place.resolve("two"), Path.of("../place/one"));
        assertThatThrownBy(() -> trust.ofLinkedDirectory(one)).isInstanceOf(IOException.class);
    }

    @Test
    void aParentThatEverybodyMayWriteToNeedsTheStickyBit() throws IOException {
        var below = Files.createDirectory(place.resolve("below"));
        mode(below, 0700);
        mode(place, 01777);
        assertThat(trust.ofDirectory(below)).isEmpty();
        mode(place, 0777);
        assertThat(trust.ofDirectory(below)).contains(
                flaw(place, "it is world-writable, so that anyone can replace its contents", "chmod +t " + place));
        assertThat(trust.ofDirectory(place.resolve("not yet"))).isPresent();
        give(below, ALICE, ALICE);
        assertThat(new Trust(ALICE, Set.of(0, ALICE)).ofDirectory(below))
                .as("a container's volume that is open to all, which its user cannot change").isEmpty();
    }

    @Test
    void aFileIsNoDirectory() throws IOException {
        var file = Files.createFile(place.resolve("f"));
        assertThat(trust.ofDirectory(file).orElseThrow().reason()).isEqualTo("it is not a directory");
    }
}
