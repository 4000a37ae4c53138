package volsh.tensor;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

/**
 * The storages described by the pickle of a torch.save archive: the type and count of their numbers, and the names of
 * the tensors that are views of them. Nothing is executed: a pickle is a program for a stack machine, of which only
 * strings, numbers, tuples, containers and class names are followed. Anything unknown ends it.
 */
final class TorchPickle {
    private static final Map<String, NumberType> TYPES = Map.of("DoubleStorage", NumberType.F64, "FloatStorage",
            NumberType.F32, "HalfStorage", NumberType.F16, "BFloat16Storage", NumberType.BF16, "LongStorage",
            NumberType.I64, "IntStorage", NumberType.I32, "ShortStorage", NumberType.I16, "CharStorage", NumberType.I8,
            "ByteStorage", NumberType.U8, "BoolStorage", NumberType.BOOL);
    /** Functions that wrap a tensor into another object of the same bytes: the first argument is the tensor. */
    private static final Set<String> WRAPPERS = Set.of("_rebuild_parameter", "_rebuild_parameter_with_state",
            "_rebuild_from_type_v2");
    private static final int DEEPEST = 100;
    private static final Object MARK = new Object();
    private static final Object OTHER = new Object();

    private final ByteBuffer in;
    private final List<Object> stack = new ArrayList<>();
    private final Map<Integer, Object> memo = new HashMap<>();
    private final Map<String, Storage> storages = new HashMap<>();

    private TorchPickle(ByteBuffer pickle) {
        this.in = pickle.order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Numbers that tensors are views of; {@code names} are the paths to these, such as {@code model.layer.weight}. */
    record Storage(NumberType type, long count, List<String> names) {}

    private record Global(String name) {}

    /** A storage, or a tensor, which is a view of one. */
    private record View(String key) {}

    /** A dictionary, list or object, with its content by key. It may contain itself. */
    private static final class Container {
        private final List<Map.Entry<String, Object>> parts = new ArrayList<>();

        private void put(Object key, Object value) {
            parts.add(Map.entry(key instanceof String || key instanceof Long ? key.toString()
                    : Integer.toString(parts.size()), value));
        }

        private void addAll(List<?> values) {
            values.forEach(value -> put(OTHER, value));
        }

        /** Adds content without a key of its own. Nothing is copied: a pickle may do this repeatedly. */
        private Container with(Object value) {
            parts.add(Map.entry("", value));
            return this;
        }
    }

    /** By key, the name of an entry in {@code data/}; those found before anything unknown. */
    static Map<String, Storage> storages(ByteBuffer pickle) {
        var machine = new TorchPickle(pickle);
        try {
            while (machine.step()) {
                // until it stops
            }
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException
                | NoSuchElementException | ArithmeticException broken) {
            // what is known so far is valid
        }
        if (!machine.stack.isEmpty()) {
            machine.name("", machine.stack.getFirst(), 0, Collections.newSetFromMap(new IdentityHashMap<>()));
        }
        return machine.storages;
    }

    /** Adds the names by which the storages below {@code value} are reached. */
    private void name(String path, Object value, int depth, Set<Object> seen) {
        switch (value) {
            case View(String key) when storages.containsKey(key) -> storages.get(key).names().add(path);
            case Container container when depth < DEEPEST && seen.add(container) ->
                    container.parts.forEach(part -> name(below(path, part.getKey()), part.getValue(), depth + 1, seen));
            case List<?> tuple when depth < DEEPEST && seen.add(tuple) -> {
                for (int i = 0; i < tuple.size(); i++) {
                    name(below(path, Integer.toString(i)), tuple.get(i), depth + 1, seen);
                }
            }
            default -> { }
        }
    }

    private static String below(String path, String name) {
        return path.isEmpty() ? name : name.isEmpty() ? path : path + "." + name;
    }

    /** Runs one instruction; false if it was the last one, or is unknown. */
    private boolean step() {
        int code = in.get() & 0xff;
        switch (code) {
            case 0x80 -> skip(1);                                                   // PROTO
            case 0x95 -> skip(8);                                                   // FRAME
            case '(' -> stack.add(MARK);
            case '0' -> pop();
            case '1' -> popToMark();
            case '2' -> stack.add(stack.getLast());
            case 'N', 0x88, 0x89, 0x8f -> stack.add(OTHER);                         // None, True, False, an empty set
            case ')' -> stack.add(List.of());
            case ']', '}' -> stack.add(new Container());
            case 'K' -> stack.add((long) (in.get() & 0xff));
            case 'M' -> stack.add((long) (in.getShort() & 0xffff));
            case 'J' -> stack.add((long) in.getInt());
            case 0x8a -> stack.add(number(in.get() & 0xff));
            case 'G' -> other(8);
            case 'X' -> stack.add(text(in.getInt()));
            case 0x8c -> stack.add(text(in.get() & 0xff));
            case 0x8d -> stack.add(text(Math.toIntExact(in.getLong())));
            case 'U', 'C' -> other(in.get() & 0xff);
            case 'T', 'B' -> other(in.getInt());
            case 0x8e -> other(Math.toIntExact(in.getLong()));
            case 'c' -> {
                line();
                stack.add(new Global(line()));
            }
            case 0x93 -> {                                                          // STACK_GLOBAL
                var name = pop();
                pop();
                stack.add(name instanceof String text ? new Global(text) : OTHER);
            }
            case 'q' -> memo.put(in.get() & 0xff, stack.getLast());
            case 'r' -> memo.put(in.getInt(), stack.getLast());
            case 0x94 -> memo.put(memo.size(), stack.getLast());
            case 'h' -> stack.add(memo.getOrDefault(in.get() & 0xff, OTHER));
            case 'j' -> stack.add(memo.getOrDefault(in.getInt(), OTHER));
            case 't' -> stack.add(popToMark());
            case 0x85, 0x86, 0x87 -> stack.add(pop(code - 0x84));                   // TUPLE1 to TUPLE3
            case 'l' -> stack.add(container(popToMark()));
            case 'd' -> {
                var pairs = popToMark();
                stack.add(new Container());
                putAll(pairs);
            }
            case 0x91 -> {
                popToMark();
                stack.add(OTHER);
            }
            case 'a' -> append(List.of(pop()));
            case 'e' -> append(popToMark());
            case 'b' -> build(pop());
            case 's' -> putAll(pop(2));
            case 'u' -> putAll(popToMark());
            case 0x90 -> popToMark();
            case 'R', 0x81 -> {                                                     // REDUCE, NEWOBJ
                var arguments = pop();
                stack.add(made(pop(), arguments));
            }
            case 0x92 -> {
                pop();
                var arguments = pop();
                stack.add(made(pop(), arguments));
            }
            case 'Q' -> note(pop());
            default -> {
                return false;
            }
        }
        return true;
    }

    private void skip(int count) {
        in.position(in.position() + count);
    }

    private void other(int length) {
        skip(length);
        stack.add(OTHER);
    }

    private static Container container(List<?> values) {
        var container = new Container();
        container.addAll(values);
        return container;
    }

    private void append(List<?> values) {
        if (stack.getLast() instanceof Container container) {
            container.addAll(values);
        }
    }

    private void putAll(List<?> pairs) {
        if (stack.getLast() instanceof Container container) {
            for (int i = 0; i + 1 < pairs.size(); i += 2) {
                container.put(pairs.get(i), pairs.get(i + 1));
            }
        }
    }

    /** Sets the state of an object: its attributes. */
    private void build(Object state) {
        if (stack.getLast() instanceof Container object) {
            object.with(state);
        }
    }

    /** The result of a call: a tensor, or something that contains its arguments. */
    private static Object made(Object callee, Object arguments) {
        if (callee instanceof Global(String name) && arguments instanceof List<?> list && !list.isEmpty()
                && list.getFirst() instanceof View view
                && (name.startsWith("_rebuild_tensor") || WRAPPERS.contains(name))) {
            return view;
        }
        return new Container().with(arguments);
    }

    private Object pop() {
        return stack.removeLast();
    }

    private List<Object> pop(int count) {
        var top = stack.subList(stack.size() - count, stack.size());
        var popped = List.copyOf(top);
        top.clear();
        return popped;
    }

    private List<Object> popToMark() {
        var popped = pop(stack.size() - 1 - stack.lastIndexOf(MARK));
        pop();
        return popped;
    }

    private Object number(int length) {
        long number = 0;
        for (int i = 0; i < length; i++) {
            long next = in.get() & 0xff;
            number |= i < Long.BYTES ? next << 8 * i : 0;
        }
        return length < Long.BYTES ? (Object) number : OTHER;
    }

    private String text(int length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        var bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private String line() {
        int start = in.position();
        while (in.get() != '\n') {
            // the line goes on
        }
        return new String(in.array(), in.arrayOffset() + start, in.position() - 1 - start, StandardCharsets.UTF_8);
    }

    /** Parses the reference of a tensor: {@code ('storage', torch.FloatStorage, '0', 'cpu', 4096)}. */
    private void note(Object reference) {
        if (reference instanceof List<?> parts && parts.size() >= 5 && parts.get(0).equals("storage")
                && parts.get(1) instanceof Global(String name)
                && parts.get(2) instanceof String key && parts.get(4) instanceof Long count
                && TYPES.containsKey(name)) {
            storages.computeIfAbsent(key, fresh -> new Storage(TYPES.get(name), count, new ArrayList<>()));
            stack.add(new View(key));
            return;
        }
        stack.add(OTHER);
    }
}
