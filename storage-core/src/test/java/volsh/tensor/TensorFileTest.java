package volsh.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.tensor.TensorSamples.bytes;
import static volsh.tensor.TensorSamples.floats;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TensorFileTest {
    private static Map<String, byte[]> three() {
        var tensors = new LinkedHashMap<String, byte[]>();
        tensors.put("a", floats(4000, 1));
        tensors.put("b", floats(16, 2));
        tensors.put("c", floats(100_000, 3));
        return tensors;
    }

    private static TensorFile read(String name, byte[] content) throws IOException {
        return TensorFile.read(name, bytes(content)).orElseThrow();
    }

    @Test
    void tensorsOfSafetensorsAreFound() throws IOException {
        byte[] content = TensorSamples.safetensors(three());
        var file = read("model.safetensors", content);
        assertThat(file.format()).isEqualTo(TensorFile.Format.SAFETENSORS);
        assertThat(file.tensors()).extracting(Tensor::name).containsExactly("a", "b", "c");
        assertSame(file, content);
        assertThat(file.tensors().getFirst().type()).isEqualTo(NumberType.F32);
        assertThat(file.tensors().getFirst().shape()).isEqualTo(List.of(1000L));
        assertThat(read("by-its-looks", content)).isEqualTo(file);
    }

    private static void assertSame(TensorFile file, byte[] content) {
        for (var tensor : file.tensors()) {
            String name = tensor.name().replace("archive/data/", "");
            if (three().containsKey(name)) {
                assertThat(Arrays.copyOfRange(content, (int) tensor.start(), (int) tensor.end())).as(name)
                        .isEqualTo(three().get(name));
            }
        }
    }

    @Test
    void entriesOfAZipAreFound() throws IOException {
        byte[] content = TensorSamples.zip(three());
        var file = read("model.pt", content);
        assertThat(file.format()).isEqualTo(TensorFile.Format.ZIP);
        assertThat(file.tensors()).extracting(Tensor::name)
                .containsExactly("archive/data.pkl", "archive/data/a", "archive/data/b", "archive/data/c");
        assertThat(file.count()).as("the pickle is none").isEqualTo(3);
        assertSame(file, content);
    }

    /** What the numbers of a torch archive are is in its pickle, which is read and never executed. */
    @ParameterizedTest
    @ValueSource(strings = {TensorSamples.PICKLE_2, TensorSamples.PICKLE_4})
    void torchSaysWhatItsNumbersAre(String text) throws IOException {
        byte[] pickle = Base64.getDecoder().decode(text);
        var storages = new LinkedHashMap<>(Map.of("0", new byte[16], "1", new byte[140_000], "2", new byte[24], "3",
                new byte[8]));
        assertThat(types(pickle, storages))
                .isEqualTo(Map.of("model.w, model.again", NumberType.F32, "model.b", NumberType.BF16, "step",
                        NumberType.I64, "3", NumberType.UNKNOWN));
        storages.put("0", new byte[12]);
        assertThat(types(pickle, storages)).as("not what the pickle says").containsEntry("0", NumberType.UNKNOWN)
                .containsEntry("model.b", NumberType.BF16);
        var random = new Random(5);
        for (int i = 0; i < 2000; i++) {
            byte[] noise = pickle.clone();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                noise[random.nextInt(noise.length)] = (byte) random.nextInt();
            }
            TorchPickle.storages(ByteBuffer.wrap(noise, 0, random.nextInt(noise.length)).slice());
        }
    }

    private static Map<String, NumberType> types(byte[] pickle, Map<String, byte[]> storages) throws IOException {
        var types = new TreeMap<String, NumberType>();
        var file = read("model.pt", TensorSamples.zip(pickle, storages));
        assertThat(file.count()).isEqualTo(storages.size());
        file.tensors().stream().filter(part -> !part.name().equals("archive/data.pkl"))
                .forEach(part -> types.put(part.name().replace("archive/data/", ""), part.type()));
        return types;
    }

    /**
     * Tensors in lists and tuples, parameters, modules with their state, keys that are numbers; and two whose names
     * seem the same.
     */
    @Test
    void torchSaysHowItsTensorsAreCalled() throws IOException {
        var pickle = Base64.getDecoder().decode(TensorSamples.PICKLE_NESTED);
        var storages = new LinkedHashMap<String, byte[]>();
        for (int i = 0; i < 6; i++) {
            storages.put(Integer.toString(i), new byte[16]);
        }
        assertThat(read("model.pt", TensorSamples.zip(pickle, storages)).tensors()).extracting(Tensor::name)
                .containsExactly("archive/data.pkl", "list.0", "list.1.0", "state.7.exp_avg", "a.b",
                        "a.b (archive/data/4)", "module.weight, module.one, module.two and 1 more");
    }

    /** Each tuple holds the one before twice: told naively, that is 2^60 paths. */
    @Test
    void aPickleThatRepeatsItselfEnds() throws IOException {
        var pickle = new java.io.ByteArrayOutputStream();
        pickle.write(new byte[] {(byte) 0x80, 2, ')', 'q', 0});
        for (int i = 0; i < 60; i++) {
            pickle.write(new byte[] {'h', (byte) i, 'h', (byte) i, (byte) 0x86, 'q', (byte) (i + 1)});
        }
        pickle.write(new byte[] {'}', 'q', 100, 'h', 100, 'b', 'h', 100, 'h', 60, 'h', 100, 's', '.'});
        assertThat(TorchPickle.storages(ByteBuffer.wrap(pickle.toByteArray()))).isEmpty();
    }

    @Test
    void otherFilesAreNone() throws IOException {
        for (String text : List.of("", "x", "{\"a\": 1}", "a".repeat(1000))) {
            assertThat(TensorFile.read("config.json", bytes(text.getBytes(StandardCharsets.UTF_8)))).isEmpty();
        }
    }

    @Test
    void whatIsBrokenIsSaid() throws IOException {
        byte[] zip = TensorSamples.zip(three());
        assertThatThrownBy(() -> read("m.pt", Arrays.copyOf(zip, zip.length - 200)))
                .isInstanceOf(TensorFormatException.class).hasMessageContaining("truncated archive");
        byte[] tensors = TensorSamples.safetensors(three());
        assertThatThrownBy(() -> read("m.safetensors", Arrays.copyOf(tensors, tensors.length - 1)))
                .hasMessageContaining("truncated: tensor 'c'");
        assertThatThrownBy(() -> read("m.safetensors", Arrays.copyOf(tensors, 20)))
                .hasMessageContaining("truncated: a header");
        assertThatThrownBy(() -> read("m.safetensors", new byte[3])).hasMessageContaining("no header");
        byte[] huge = tensors.clone();
        huge[6] = 1;
        assertThatThrownBy(() -> read("m.safetensors", huge)).hasMessageContaining("bad header: a length");
        byte[] noJson = tensors.clone();
        noJson[8] = '[';
        assertThatThrownBy(() -> read("m.safetensors", noJson)).hasMessageContaining("not JSON");
        byte[] overlapping = new String(tensors, StandardCharsets.ISO_8859_1)
                .replace("\"data_offsets\" : [ 4000, 4016 ]", "\"data_offsets\" : [ 3999, 4015 ]")
                .getBytes(StandardCharsets.ISO_8859_1);
        if (!Arrays.equals(overlapping, tensors)) {
            assertThatThrownBy(() -> read("m.safetensors", overlapping)).hasMessageContaining("overlaps");
        }
    }

    /** Whatever is wrong in it, reading ends with an answer or the one exception. */
    @Test
    void noiseIsSurvived() throws IOException {
        var random = new Random(5);
        int refused = 0;
        for (byte[] good : List.of(TensorSamples.zip(three()), TensorSamples.safetensors(three()))) {
            for (int i = 0; i < 3000; i++) {
                byte[] bad = Arrays.copyOf(good, random.nextInt(4) == 0 ? random.nextInt(good.length) : good.length);
                for (int flips = random.nextInt(4); flips >= 0 && bad.length > 0; flips--) {
                    int reach = random.nextBoolean() ? Math.min(bad.length, 300) : bad.length;
                    int at = random.nextBoolean() ? random.nextInt(reach) : bad.length - 1 - random.nextInt(reach);
                    bad[at] = (byte) random.nextInt(256);
                }
                try {
                    TensorFile.read("m.safetensors", bytes(bad)).ifPresent(file -> file.tensors().forEach(tensor ->
                            assertThat(tensor.start() >= 0 && tensor.start() <= tensor.end()
                                    && tensor.end() <= bad.length).isTrue()));
                } catch (TensorFormatException broken) {
                    refused++;
                }
            }
        }
        assertThat(refused).isGreaterThan(500);
    }

    @Test
    void realNumbers() {
        var bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putShort(0, (short) 0x7e00).putShort(2, (short) 0x7f80).putShort(4, (short) 0x3f80)
                .putShort(6, (short) 0x3c00).putDouble(8, 2.5);
        assertThat(NumberType.F16.real(bytes, 0)).isNaN();
        assertThat(NumberType.BF16.real(bytes, 2)).isInfinite();
        assertThat(NumberType.BF16.real(bytes, 4)).isEqualTo(1.0);
        assertThat(NumberType.F16.real(bytes, 6)).isEqualTo(1.0);
        assertThat(NumberType.F64.real(bytes.order(ByteOrder.BIG_ENDIAN), 8)).isEqualTo(2.5);
    }
}
