package volsh.lifecycle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import volsh.assembly.Assembly;
import volsh.assembly.ShippingSwitch;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Prefixed;
import volsh.block.StoreUrl;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.fs.ShellWord;
import volsh.ship.Shipments;
import volsh.ship.ShipperLiveness;

/** Finds the volumes that a store has the metadata of. */
public final class Attachables {
    private static final int MARK_LENGTH = 64;

    private final Assembly assembly;

    public Attachables(Assembly assembly) {
        this.assembly = assembly;
    }

    /** Everything there that can be attached, by name. */
    public List<Attachable> find(StoreUrl url) throws IOException {
        try (var whole = assembly.store(url)) {
            var found = new ArrayList<Attachable>();
            for (var key : marks(whole)) {
                var part = new Prefixed(whole, key.text().substring(ShippingSwitch.INDEX.length()));
                var lines = lines(whole, key);
                var id = id(key, lines.getFirst());
                var shipments = Shipments.of(part, id);
                if (shipments.isPresent()) {
                    found.add(attachable(shipments.get(), part, lines.size() < 2 ? 1 : Integer.parseInt(lines.get(1))));
                }
            }
            found.sort(Comparator.comparing(each -> each.spec().name()));
            return found;
        }
    }

    private static List<BlockKey> marks(BlockStore whole) throws IOException {
        try (var listed = whole.list(ShippingSwitch.INDEX)) {
            return listed.map(BlockStore.Listed::key).toList();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    /** The volume's id, and which of its stores this is unless it is the first. */
    private static List<String> lines(BlockStore whole, BlockKey key) throws IOException {
        var text = ByteBuffer.allocate(MARK_LENGTH);
        whole.get(key, 0, text);
        var lines = new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII).lines().toList();
        if (lines.isEmpty() || lines.size() > 1 && !lines.get(1).matches("[1-9][0-9]{0,2}")) {
            throw new Refusal(Reason.DAMAGED, "object %s of the store names no volume".formatted(key));
        }
        return lines;
    }

    private static UUID id(BlockKey key, String text) throws IOException {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException nonsense) {
            throw new Refusal(Reason.DAMAGED, "object %s of the store names no volume".formatted(key), nonsense);
        }
    }

    private static Attachable attachable(Shipments shipments, BlockStore part, int number) throws IOException {
        return new Attachable(Records.volume(shipments.about()), shipments.host(), shipments.time(), shipments.bytes(),
                ShipperLiveness.in(part), number);
    }

    /** The one volume meant. @throws Refusal NOT_FOUND, or INVALID if there are several */
    Attachable choose(AttachRequest request) throws IOException {
        var found = find(request.url());
        var named = request.volume().isEmpty() ? found
                : found.stream().filter(each -> each.spec().name().equals(request.volume().get())
                        || each.spec().id().toString().equals(request.volume().get())).toList();
        if (named.size() == 1) {
            return named.getFirst();
        }
        var refusal = named.isEmpty() ? none(request) : several(request, named.getFirst());
        for (var each : found) {
            refusal = refusal.detail("%s (%s), shipped %s by %s".formatted(
                    each.spec().name(), each.spec().id(), each.time(), each.host()));
        }
        throw refusal;
    }

    private static Refusal none(AttachRequest request) {
        String which = request.volume().map(name -> "volume '%s'".formatted(name)).orElse("volume");
        return new Refusal(Reason.NOT_FOUND,
                "the store %s has no %s that ships its metadata".formatted(request.url(), which));
    }

    private static Refusal several(AttachRequest request, Attachable one) {
        return new Refusal(Reason.INVALID, "the store %s has several volumes: say which one".formatted(request.url()),
                "volsh volume attach %s --volume %s".formatted(ShellWord.of(request.url()), one.spec().name()));
    }
}
