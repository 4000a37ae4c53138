package volsh.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.ConstantValueAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Every number by which the program cuts its work into pieces is in {@code limits.txt}, with a test that runs with more
 * than that, or the reason why none can. The numbers are found in the compiled classes: who adds one has to write the
 * test on its far side.
 */
final class LimitsTest {
    /** A line of the table. */
    private record Line(String test, long items, String reason) {}

    private static final Map<String, Long> LIMITS = new TreeMap<>();

    private static Map<String, Line> table() throws IOException {
        var table = new TreeMap<String, Line>();
        try (var in = new BufferedReader(new InputStreamReader(LimitsTest.class.getResourceAsStream("limits.txt"),
                StandardCharsets.UTF_8))) {
            for (String text : in.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList()) {
                var words = text.split(" +", 3);
                boolean none = words[1].equals("-");
                assertThat(table.put(words[0],
                        new Line(none ? "" : words[1], none ? 0 : Long.parseLong(words[2]), none ? words[2] : "")))
                        .as("twice: " + text).isNull();
            }
        }
        return table;
    }

    @Test
    void everyLimitIsInTheTableAndNoOther() throws IOException {
        var found = LIMITS;
        var table = table();
        assertThat(found.entrySet().stream().filter(limit -> !table.containsKey(limit.getKey())).toList())
                .as("limits that limits.txt does not have: name a test that runs with more").isEmpty();
        assertThat(table.keySet().stream().filter(name -> !found.containsKey(name)).toList())
                .as("lines without a limit").isEmpty();
    }

    @Test
    void everyTestGoesBeyondItsLimit() throws IOException {
        var tests = tests();
        var wrong = new ArrayList<String>();
        table().forEach((name, line) -> {
            if (!line.test().isEmpty()) {
                var words = line.test().split("\\.");
                if (!tests.getOrDefault(words[0], "").contains("void " + words[1] + "(")) {
                    wrong.add("there is no test %s for %s".formatted(line.test(), name));
                }
                if (line.items() <= LIMITS.getOrDefault(name, 0L)) {
                    wrong.add("%s is %d, and %s has only %d".formatted(name, LIMITS.get(name), line.test(),
                            line.items()));
                }
            }
        });
        assertThat(wrong).isEmpty();
    }

    /** By the simple names of their classes. */
    private static Map<String, String> tests() throws IOException {
        var tests = new HashMap<String, String>();
        for (var module : List.of("storage-core", "commands", "shell")) {
            for (var set : List.of("test", "imageTest", "testFixtures")) {
                var sources = Path.of(System.getProperty("volsh.project"), module, "src", set, "java");
                if (Files.isDirectory(sources)) {
                    try (var files = Files.walk(sources)) {
                        for (var file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                            tests.merge(file.getFileName().toString().replace(".java", ""), Files.readString(file),
                                    String::concat);
                        }
                    }
                }
            }
        }
        return tests;
    }

    @BeforeAll
    static void find() throws IOException {
        for (var directory : Stream.of(System.getProperty("volsh.classes").split(":")).map(Path::of)
                .filter(Files::isDirectory).toList()) {
            try (var files = Files.walk(directory)) {
                for (var file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
                    LIMITS.putAll(Limits.of(ClassFile.of().parse(file)));
                }
            }
        }
        assertThat(LIMITS).hasSizeGreaterThan(50);
    }

    /** What is looked for is found. */
    @Nested
    final class NegativeControl {
        private static final MethodTypeDesc SCAN = MethodTypeDesc.ofDescriptor(
                "(Lvolsh/engine/MetaKey;Lvolsh/engine/MetaKey;I)Ljava/util/List;");

        private ClassModel with(String constant, long value, int scanned) {
            return ClassFile.of().parse(ClassFile.of().build(ClassDesc.of("volsh.meta.Some"), type -> {
                type.withField(constant, ConstantDescs.CD_long,
                        field -> field.withFlags(ClassFile.ACC_STATIC | ClassFile.ACC_FINAL)
                        .with(ConstantValueAttribute.of(value)));
                type.withMethodBody("look", ConstantDescs.MTD_void, ClassFile.ACC_PUBLIC,
                        code -> code.aload(0).aload(0).aload(0).loadConstant(scanned)
                        .invokeinterface(ClassDesc.of("volsh.engine.MetaEngine$Transaction"), "scan", SCAN).pop()
                        .return_());
            }));
        }

        @Test
        void constantsAndNumbersInScans() {
            assertThat(Limits.of(with("BATCH", 77, 30)))
                    .containsExactly(Map.entry("meta.Some.BATCH", 77L), Map.entry("meta.Some.scan(30)", 30L));
            assertThat(Limits.of(with("ROWS_MAX", 30, 30))).as("the constant, inlined")
                    .containsExactly(Map.entry("meta.Some.ROWS_MAX", 30L));
            assertThat(Limits.of(with("LENGTH_MAX", 77, 1))).as("no number of items").isEmpty();
        }
    }
}
