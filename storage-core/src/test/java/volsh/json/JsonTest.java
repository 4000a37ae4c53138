package volsh.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {
    @Test
    void whatIsWrittenIsRead() throws IOException {
        var object = new LinkedHashMap<String, Object>();
        object.put("text", "a \"quoted\" line\nand \u00fc\u2603");
        object.put("number", Long.MAX_VALUE);
        object.put("real", 0.1);
        object.put("flag", true);
        object.put("nothing", null);
        object.put("list", Arrays.asList(Map.of("a", 1L), Map.of("b", List.of("x", 2L))));
        object.put("fields", Map.of("deep", Map.of("er", "yes")));
        var read = Json.read(Json.write(object));
        assertThat(read.values()).isEqualTo(object);
        assertThat(read.text("text")).isEqualTo(object.get("text"));
        assertThat(read.number("number")).isEqualTo(Long.MAX_VALUE);
        assertThat(read.real("number")).isEqualTo(0x1p63);
        assertThat(read.fields("fields").fields("deep").text("er")).isEqualTo("yes");
        assertThat(read.list("list")).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{", "{\"a\"", "{\"a\":", "{\"a\":1}{}", "{\"a\":1e}",
            "{\"a\":99999999999999999999}", "nonsense"})
    void damageIsAnError(String text) {
        assertThatThrownBy(() -> Json.read(text.getBytes(StandardCharsets.UTF_8))).isInstanceOf(IOException.class);
    }

    @Test
    void whatIsMissingOrOddIsNamed() throws IOException {
        var fields = Json.read("{\"a\": \"x\", \"l\": [1]}".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> fields.number("b")).hasMessage("missing field 'b'");
        assertThatThrownBy(() -> fields.number("a")).hasMessage("field 'a' has the wrong type");
        assertThatThrownBy(() -> fields.list("l")).hasMessage("field 'l' is not a list of objects");
    }
}
