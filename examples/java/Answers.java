package statehist;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Prints what a reader reads, in the forms of bakeoff, so that it can be compared:
 *
 *     Answers ht|time-index FILE query < lines       the answers of `bakeoff query`, without hashes
 *     Answers ht|time-index FILE content             the lines of attributes and intervals of the text form, by quark
 *     Answers ht|time-index FILE tree                the attribute tree of a history tree file
 */
final class Answers {
    private Answers() {
    }

    static History open(String encoding, Path file) throws IOException {
        return switch (encoding) {
        case "ht" -> new HistoryTree(file);
        case "time-index" -> new TimeIndex(file);
        default -> throw new IllegalArgumentException("no reader of " + encoding);
        };
    }

    public static void main(String[] arguments) throws IOException {
        try (History history = open(arguments[0], Path.of(arguments[1]))) {
            PrintWriter out = new PrintWriter(
                    new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8)));
            switch (arguments[2]) {
            case "query" -> {
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    print(Query.parse(line), history, out);
                }
            }
            case "content" -> printContent(history, out);
            case "tree" -> history.attributes().writeTree(System.out);
            default -> throw new IllegalArgumentException("no such command: " + arguments[2]);
            }
            out.flush();
        }
    }

    private static void print(Query query, History history, PrintWriter out) throws IOException {
        List<History.Interval> answer = sorted(query.run(history));
        for (History.Interval i : answer) {
            // bakeoff prints strings only in an export, and hashes elsewhere.
            String value = i.value() instanceof String && !query.kind().equals("export") ? "s\thash" : valueOf(i.value());
            out.print(switch (query.kind()) {
            case "point" -> i.start() + "\t" + i.end() + "\t" + value + "\n";
            case "full-state" -> i.quark() + "\t" + value + "\n";
            default -> i.quark() + "\t" + i.start() + "\t" + i.end() + "\t" + value + "\n";
            });
        }
    }

    static List<History.Interval> sorted(List<History.Interval> intervals) {
        List<History.Interval> copy = new ArrayList<>(intervals);
        copy.sort(Comparator.comparingInt(History.Interval::quark).thenComparingLong(History.Interval::start));
        return copy;
    }

    private static void printContent(History history, PrintWriter out) throws IOException {
        Attributes attributes = history.attributes();
        int n = attributes.size();
        for (int q = 0; q < n; q++) {
            out.print("Q\t" + q + "\t" + attributes.parent(q) + "\t" + escaped(attributes.name(q)) + "\n");
        }
        List<History.Interval> all =
                history.range2d(IntStream.range(0, n).toArray(), history.start(), history.end());
        for (History.Interval i : sorted(all)) {
            out.print("I\t" + i.quark() + "\t" + i.start() + "\t" + i.end() + "\t" + valueOf(i.value()) + "\n");
        }
    }

    /** Type and value. Doubles are printed as Java does it; the documents that are compared have none. */
    private static String valueOf(Object value) {
        return value == null ? "n\t"
                : value instanceof Integer ? "i\t" + value
                : value instanceof Long ? "l\t" + value
                : value instanceof Double ? "d\t" + value
                : value instanceof Boolean ? "b\t" + value
                : "s\t" + escaped((String) value);
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
                .replace("\0", "\\0");
    }
}
