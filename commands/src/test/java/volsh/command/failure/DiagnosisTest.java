package volsh.command.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import volsh.block.BlockKey;
import volsh.block.NoSuchBlockException;
import volsh.catalog.Refusal;
import volsh.codec.FrameIndex;
import volsh.command.console.BrokenPipeException;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaUnavailableException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.NoSpaceException;
import volsh.fs.ReadOnlyDiskException;
import volsh.unit.ByteSize;

final class DiagnosisTest {
    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new NoSuchFileException("/a"), ExitCode.NOT_FOUND, "/a: no such file or directory"),
                Arguments.of(new FileNotFoundException("/a (No such file or directory)"), ExitCode.NOT_FOUND,
                        "/a (No such file or directory)"),
                Arguments.of(new FileNotFoundException("/a (Permission denied)"), ExitCode.PERMISSION,
                        "/a (Permission denied)"),
                Arguments.of(new AccessDeniedException("/a"), ExitCode.PERMISSION, "/a: permission denied"),
                Arguments.of(new FileAlreadyExistsException("/a"), ExitCode.CONFLICT, "/a: file exists"),
                Arguments.of(new FileSystemException("/a", null, "No space left on device"), ExitCode.NO_SPACE,
                        "/a: No space left on device"),
                Arguments.of(new FileSystemException("/a", null, "Read-only file system"), ExitCode.PERMISSION,
                        "/a: Read-only file system"),
                Arguments.of(new IOException("No space left on device"), ExitCode.NO_SPACE, "No space left on device"),
                Arguments.of(new IOException("disk on fire"), ExitCode.FAILED, "disk on fire"),
                Arguments.of(new ConnectException(null), ExitCode.UNAVAILABLE, "connection refused"),
                Arguments.of(new UnknownHostException("s3.nowhere"), ExitCode.UNAVAILABLE, "unknown host s3.nowhere"),
                Arguments.of(new SocketTimeoutException(), ExitCode.UNAVAILABLE, "timed out"),
                Arguments.of(new ClosedChannelException(), ExitCode.FAILED, "the connection or file was closed"),
                Arguments.of(new TimeoutException("waited 5s"), ExitCode.TIMEOUT, "waited 5s"),
                Arguments.of(new NoSuchBlockException(BlockKey.of(7)), ExitCode.INTEGRITY,
                        "no such block: blocks/07/0000000000000007"),
                Arguments.of(new MetaUnavailableException("database is away", null), ExitCode.UNAVAILABLE,
                        "database is away"),
                Arguments.of(new MetaDamagedException("meta.db: it is damaged"), ExitCode.INTEGRITY,
                        "meta.db: it is damaged"), Arguments.of(new NoSpaceException("meta.db: it is full", null),
                        ExitCode.NO_SPACE, "meta.db: it is full"), Arguments.of(new IOException("no",
                        new ReadOnlyDiskException("meta.db: make it writable", null)), ExitCode.PERMISSION, "no"),
                Arguments.of(new FsException(FsError.NO_ENTRY, "no such file: train:/a"), ExitCode.NOT_FOUND,
                "no such file: train:/a"), Arguments.of(new CancelledException(), ExitCode.CANCELLED, "cancelled"),
                Arguments.of(new InterruptedException(), ExitCode.CANCELLED, "cancelled"),
                Arguments.of(new ClosedByInterruptException(), ExitCode.CANCELLED, "cancelled"),
                Arguments.of(new BrokenPipeException(new IOException("Broken pipe")), ExitCode.BROKEN_PIPE,
                "the reader of the output closed it"), Arguments.of(new OutOfMemoryError("Java heap space"),
                ExitCode.FAILED, "out of memory (Java heap space)"), Arguments.of(
                new IllegalStateException("journal closed"), ExitCode.FAILED, "internal error: journal closed"),
                Arguments.of(new NullPointerException("Cannot invoke \"String.length()\""),
                ExitCode.FAILED, "internal error"), Arguments.of(
                new ExecutionException(new UncheckedIOException(new NoSuchFileException("/b"))), ExitCode.NOT_FOUND,
                        "/b: no such file or directory"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void everyFailureHasAnExitCodeAndPlainWords(Throwable failure, ExitCode exit, String message) {
        Problem problem = Diagnosis.of(failure);
        assertThat(problem.exit()).isEqualTo(exit);
        assertThat(problem.message()).isEqualTo(message);
        assertThat(problem.code()).matches("[A-Z]+-\\d{4}");
        assertThat(ProblemText.human(problem, false)).doesNotContain("Exception", "null", "\tat ");
    }

    /** What parsers say of their own ways helps nobody. */
    @Test
    void causesAreForPeople() {
        var place = new IOException("Unexpected character ('b'): was expecting a name\n at [Source: "
                + "REDACTED (`INCLUDE_SOURCE` disabled); line: 1]");
        assertThat(Diagnosis.of(new IOException("the entry is damaged", place)).causes())
                .containsExactly("Unexpected character ('b'): was expecting a name");
        var time = new java.time.DateTimeException("Text 'x' could not be parsed at index 0");
        assertThat(Diagnosis.of(new IOException("not a time: 'x'", time)).causes()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(FsError.class)
    void everyRefusalHasACodeOfItsOwn(FsError error) {
        var codes = new HashSet<String>();
        for (FsError any : FsError.values()) {
            assertThat(codes.add(Diagnosis.of(new FsException(any)).code())).as(any.name()).isTrue();
        }
        Problem problem = Diagnosis.of(new FsException(error));
        assertThat(problem.exit()).isNotEqualTo(ExitCode.OK);
        assertThat(problem.message()).isEqualTo(error.text());
    }

    @Test
    void ourOwnValuesRefuseAsUsageAndTheJdkAsAMistake() {
        assertThat(Diagnosis.of(thrown(() -> ByteSize.of("lots"))).exit()).isEqualTo(ExitCode.USAGE);
        assertThat(Diagnosis.of(thrown(() -> Integer.parseInt("x"))).code()).isEqualTo("CLI-0070");
    }

    @Test
    void damagedBlocksAreAnIntegrityError() {
        Problem problem = Diagnosis.of(thrown(() -> FrameIndex.parse(new byte[3])));
        assertThat(problem.exit()).isEqualTo(ExitCode.INTEGRITY);
        assertThat(problem.code()).isEqualTo("BLK-0007");
    }

    private static Throwable thrown(Callable<?> work) {
        try {
            work.call();
        } catch (Exception failure) {
            return failure;
        }
        throw new AssertionError("nothing was thrown");
    }

    @Test
    void causesAreToldOnceWithoutClassNames() {
        var root = new ConnectException("Connection refused");
        var middle = new IOException("java.net.ConnectException: Connection refused", root);
        var wrapped = new UncheckedIOException("wrapped", new IOException("put failed (request 7F3A)", middle));
        Problem problem = Diagnosis.of(CommandFailure.of(ExitCode.UNAVAILABLE, "STO-0001",
                "store 's3-east' does not answer").causedBy(wrapped));
        assertThat(problem.causes()).containsExactly("put failed (request 7F3A)", "Connection refused");
        assertThat(Diagnosis.of(new IOException(new IOException((String) null))).causes())
                .noneMatch(cause -> cause.contains("null"));
    }

    @Test
    void aChainThatGoesInCirclesEnds() {
        var a = new IOException("a");
        var b = new IOException("b", a);
        a.initCause(b);
        assertThat(Diagnosis.of(a).causes()).hasSizeLessThan(10);
    }

    private static final Problem BUSY = CommandFailure.of(ExitCode.BUSY, "VOL-0412",
            "cannot destroy volume 'tr\u001b[31m': mounted")
            .detail("gpu-07  /mnt/train   3h").hint("volsh umount --all train-b").problem()
                    .because(List.of("held by \"x\""));

    @Test
    void peopleReadLines() {
        assertThat(ProblemText.human(BUSY, false)).isEqualTo("""
                error: cannot destroy volume 'tr\\x1b[31m': mounted [VOL-0412]
                  gpu-07  /mnt/train   3h
                cause: held by "x"
                hint: volsh umount --all train-b
                exit 5 (busy)""");
        assertThat(ProblemText.human(BUSY, true)).startsWith("\u001b[31;1merror:\u001b[0m ");
        assertThat(ProblemText.human(Problem.of(ExitCode.UNAVAILABLE, "X-0001", "away"), false))
                .endsWith("exit 6 (unavailable, retry later)");
    }

    @Test
    void programsReadOneObject() {
        assertThat(ProblemText.json(BUSY))
                .isEqualTo("{\"error\":{\"code\":\"VOL-0412\",\"kind\":\"busy\",\"exit\":5,\"retryable\":false,"
                + "\"message\":\"cannot destroy volume 'tr\\u001b[31m': mounted\","
                + "\"details\":[\"gpu-07  /mnt/train   3h\"],"
                + "\"causes\":[\"held by \\\"x\\\"\"],\"hints\":[\"volsh umount --all train-b\"]}}");
    }

    @Test
    void exitCodesAreTheDocumentedOnes() {
        Map<String, Integer> documented = Map.ofEntries(Map.entry("ok", 0), Map.entry("failed", 1),
                Map.entry("usage", 2),
                Map.entry("not-found", 3), Map.entry("conflict", 4), Map.entry("busy", 5), Map.entry("unavailable", 6),
                Map.entry("integrity", 7), Map.entry("no-space", 8), Map.entry("permission", 9),
                Map.entry("partial", 10),
                Map.entry("expectation", 11), Map.entry("pending", 20), Map.entry("timeout", 124),
                Map.entry("not-executable", 126),
                Map.entry("unknown-command", 127), Map.entry("hangup", 129), Map.entry("cancelled", 130), Map.entry("broken-pipe", 141),
                Map.entry("terminated", 143));
        assertThat(ExitCode.values()).hasSize(documented.size()).allSatisfy(code ->
                assertThat(documented).containsEntry(code.kind(), code.status()));
        assertThat(Stream.of(ExitCode.values()).filter(ExitCode::retryable))
                .containsExactly(ExitCode.UNAVAILABLE, ExitCode.TIMEOUT);
    }

    @Test
    void similarWordsComeNearestFirst() {
        assertThat(Similar.to("destory", List.of("create", "destroy", "list"))).containsExactly("destroy");
        assertThat(Similar.to("lsit", List.of("ls", "list", "stat"))).startsWith("list");
        assertThat(Similar.to("zzzzzz", List.of("create", "destroy"))).isEmpty();
        assertThat(Similar.to("hot", List.of("vol", "cat", "put"))).isEmpty();
        assertThat(Similar.to("--colums", List.of("--color", "--columns"))).containsExactly("--columns");
        assertThat(Similar.distance("ab", "ba")).isEqualTo(1);
        assertThat(Similar.distance("", "abc")).isEqualTo(3);
    }

    @Test
    void refusalsOfTheFrontDoorKeepTheirDetailsAndHints() {
        var codes = Map.of(Refusal.Reason.INVALID, 2, Refusal.Reason.NOT_FOUND, 3, Refusal.Reason.CONFLICT,
                4, Refusal.Reason.BUSY, 5, Refusal.Reason.UNAVAILABLE, 6, Refusal.Reason.DAMAGED, 7,
                Refusal.Reason.NO_SPACE, 8, Refusal.Reason.FORBIDDEN, 9);
        assertThat(codes).containsOnlyKeys(Refusal.Reason.values());
        codes.forEach((reason, status) -> {
            var cause = new IOException("a switch was off");
            Problem problem = Diagnosis.of(new Refusal(reason, "it is so", cause, "volsh this",
                    "volsh that").detail("host a").detail("host b"));
            assertThat(problem.exit().status()).isEqualTo(status);
            assertThat(problem).isEqualTo(new Problem(problem.exit(), status, "VOL-000" + status, "it is so",
                    List.of("host a", "host b"), List.of("a switch was off"), List.of("volsh this", "volsh that")));
        });
    }
}
