package volsh.dataset;

import java.util.function.IntBinaryOperator;

/** A stable merge sort of numbers by what they stand for; fast on input that is nearly in order. */
final class IndexSort {
    private IndexSort() {}

    /** Sorts in place, and returns the array. */
    static int[] sort(int[] numbers, IntBinaryOperator compare) {
        var room = new int[numbers.length];
        for (int width = 1; width < numbers.length; width *= 2) {
            for (int from = 0; from < numbers.length - width; from += 2 * width) {
                merge(numbers, room, from, from + width, Math.min(from + 2 * width, numbers.length), compare);
            }
            if (width > Integer.MAX_VALUE / 4) {
                break;
            }
        }
        return numbers;
    }

    private static void merge(int[] numbers, int[] room, int from, int middle, int to, IntBinaryOperator compare) {
        if (compare.applyAsInt(numbers[middle - 1], numbers[middle]) <= 0) {
            return;
        }
        int left = from;
        int right = middle;
        for (int i = from; i < to; i++) {
            boolean takeLeft = right == to
                    || left < middle && compare.applyAsInt(numbers[left], numbers[right]) <= 0;
            room[i] = takeLeft ? numbers[left++] : numbers[right++];
        }
        System.arraycopy(room, from, numbers, from, to - from);
    }
}
