package statehist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Changes each bit of a time-index file in turn, and runs queries on what opens: all of them end, with an answer or an
 * error. {@code Damage FILE}
 */
final class Damage {
    private Damage() {
    }

    /** Whether all queries were answered. */
    private static boolean query(byte[] data) {
        try {
            TimeIndex history = new TimeIndex(data);
            int[] quarks = {1}; // few, so that the history is not unpacked
            long start = history.start();
            long end = history.end();
            long[] times = new long[20];
            for (int i = 0; i < times.length; i++) {
                times[i] = start + (end - start) / (times.length - 1) * i;
            }
            history.times(quarks, times);
            history.range2d(quarks, start, end);
            for (long time : times) {
                history.single(quarks[0], time);
            }
            return true;
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    public static void main(String[] arguments) throws IOException {
        byte[] data = Files.readAllBytes(Path.of(arguments[0]));
        int n = 0;
        if (!query(data)) {
            throw new IllegalStateException("the file itself is rejected");
        }
        for (int bit = 0; bit < 8 * data.length; bit++) {
            data[bit / 8] ^= (byte) (1 << bit % 8);
            n += query(data) ? 0 : 1;
            data[bit / 8] ^= (byte) (1 << bit % 8);
        }
        System.out.println(8 * data.length + " damaged files: " + n + " are rejected");
    }
}
