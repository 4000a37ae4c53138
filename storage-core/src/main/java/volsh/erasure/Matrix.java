package volsh.erasure;

/** Small matrices over the {@link GaloisField}. */
final class Matrix {
    private Matrix() {}

    /**
     * The rows of all pieces in terms of the data: the data itself, then parity rows of a Cauchy matrix whose columns
     * are scaled so that the first row is ones, which makes the first parity a plain exclusive or. Any {@code data}
     * rows can be inverted.
     */
    static int[][] generator(int data, int parity) {
        var rows = new int[data + parity][data];
        for (int i = 0; i < data; i++) {
            rows[i][i] = 1;
            int first = GaloisField.inverse(data ^ i);
            for (int j = 0; j < parity; j++) {
                rows[data + j][i] = GaloisField.divide(GaloisField.inverse((data + j) ^ i), first);
            }
        }
        return rows;
    }

    static int[][] product(int[][] left, int[][] right) {
        var result = new int[left.length][right[0].length];
        for (int row = 0; row < left.length; row++) {
            for (int column = 0; column < right[0].length; column++) {
                for (int i = 0; i < right.length; i++) {
                    result[row][column] ^= GaloisField.multiply(left[row][i], right[i][column]);
                }
            }
        }
        return result;
    }

    /** The inverse, by elimination. @throws ArithmeticException if there is none */
    static int[][] inverse(int[][] matrix) {
        int size = matrix.length;
        var work = new int[size][2 * size];
        for (int i = 0; i < size; i++) {
            System.arraycopy(matrix[i], 0, work[i], 0, size);
            work[i][size + i] = 1;
        }
        for (int column = 0; column < size; column++) {
            pivot(work, column);
            scale(work[column], GaloisField.inverse(work[column][column]));
            for (int row = 0; row < size; row++) {
                if (row != column) {
                    subtract(work[row], work[column], work[row][column]);
                }
            }
        }
        var result = new int[size][size];
        for (int i = 0; i < size; i++) {
            System.arraycopy(work[i], size, result[i], 0, size);
        }
        return result;
    }

    private static void pivot(int[][] work, int column) {
        int row = column;
        while (row < work.length && work[row][column] == 0) {
            row++;
        }
        if (row == work.length) {
            throw new ArithmeticException("the matrix has no inverse");
        }
        int[] swapped = work[column];
        work[column] = work[row];
        work[row] = swapped;
    }

    private static void scale(int[] row, int factor) {
        for (int i = 0; i < row.length; i++) {
            row[i] = GaloisField.multiply(row[i], factor);
        }
    }

    private static void subtract(int[] row, int[] other, int factor) {
        for (int i = 0; i < row.length; i++) {
            row[i] ^= GaloisField.multiply(other[i], factor);
        }
    }
}
