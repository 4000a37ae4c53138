package volsh.tensor;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * What the pickle of an archive by torch.save says of its storages: the type of their numbers and how many there are. Nothing of it is executed: it
 * is a program for a stack machine, of which only strings, numbers, tuples and the names of classes are followed. What is not understood ends it.
 */
final class TorchPickle {
    private static final Map<String, NumberType> TYPES = Map.of("DoubleStorage", NumberType.F64, "FloatStorage", NumberType.F32, "HalfStorage", NumberType.F16,
            "BFloat16Storage", NumberType.BF16, "LongStorage", NumberType.I64, "IntStorage", NumberType.I32, "ShortStorage", NumberType.I16,
            "CharStorage", NumberType.I8, "ByteStorage", NumberType.U8, "BoolStorage", NumberType.BOOL);
    private static final Object MARK = new Object();
    private static final Object OTHER = new Object();

    private final ByteBuffer in;
    private final List<Object> stack = new ArrayList<>();
    private final Map<Integer, Object> memo = new HashMap<>();
    private final Map<String, Storage> storages = new HashMap<>();

    private TorchPickle(ByteBuffer pickle) {
        this.in = pickle.order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Numbers that tensors are views of. */
    record Storage(NumberType type, long count) {}

    private record Global(String name) {}

    /** By their keys, which are the names of entries in {@code data/}; those that were found until something is not understood. */
    static Map<String, Storage> storages(ByteBuffer pickle) {
        var machine = new TorchPickle(pickle);
        try {
            while (machine.step()) {
                // until it stops
            }
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException | NoSuchElementException | ArithmeticException broken) {
            // what is known so far is true
        }
        return machine.storages;
    }

    /** One instruction; false if it was the last one, or is unknown. */
    private boolean step() {
        int code = in.get() & 0xff;
        switch (code) {
            case 0x80 -> skip(1);                                                   // PROTO
            case 0x95 -> skip(8);                                                   // FRAME
            case '(' -> stack.add(MARK);
            case '0' -> pop();
            case '1' -> popToMark();
            case '2' -> stack.add(stack.getLast());
            case 'N', 0x88, 0x89, ')', ']', '}', 0x8f -> stack.add(OTHER);          // None, True, False, what is empty
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
            case 'l', 'd', 0x91 -> {
                popToMark();
                stack.add(OTHER);
            }
            case 'a', 'b' -> pop();                                                 // APPEND, BUILD
            case 's' -> pop(2);
            case 'e', 'u', 0x90 -> popToMark();
            case 'R', 0x81 -> replace(2);                                           // REDUCE, NEWOBJ
            case 0x92 -> replace(3);
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

    private void replace(int count) {
        pop(count);
        stack.add(OTHER);
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

    /** What a tensor refers to: {@code ('storage', torch.FloatStorage, '0', 'cpu', 4096)}. */
    private void note(Object reference) {
        if (reference instanceof List<?> parts && parts.size() >= 5 && parts.get(0).equals("storage") && parts.get(1) instanceof Global(String name)
                && parts.get(2) instanceof String key && parts.get(4) instanceof Long count && TYPES.containsKey(name)) {
            storages.put(key, new Storage(TYPES.get(name), count));
        }
        stack.add(OTHER);
    }
}
