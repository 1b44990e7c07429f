package statehist;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Runs conformance vectors (docs/vectors.md) on a reader:
 *
 *     Vectors ht|time-index < lines
 *
 * A line is `valid`, the bytes in hex and the model in base64, or `invalid`, the bytes and the rule, with tabs between. The reader
 * must read what the model contains, and reject all invalid bytes except those that break a rule which it does not check.
 */
final class Vectors {
    private static final Map<String, Set<String>> UNCHECKED = Map.of(
            // The caller compares the version of the provider.
            "ht", Set.of("state provider is not of version 1"),
            // Opening would read all records and lists to their ends, and compare all names and strings. Checkpoints are not
            // read: full states come from timelines.
            "time-index", Set.of("fewer intervals than announced", "name of a sibling", "row runs past the end",
                    "free bits are not 0", "strings are not in the order of their first use",
                    "checkpoint contains another value", "checkpoint lacks a value, or has one too many"));

    private final String encoding;
    private final Path file;

    private Vectors(String encoding, Path file) {
        this.encoding = encoding;
        this.file = file;
    }

    public static void main(String[] arguments) throws IOException {
        Path file = Files.createTempFile("vector", "." + arguments[0]);
        Vectors vectors = new Vectors(arguments[0], file);
        int valid = 0;
        int rejected = 0;
        int accepted = 0;
        List<String> failures = new ArrayList<>();
        Set<String> unused = new TreeSet<>(UNCHECKED.get(arguments[0])); // unchecked rules of which nothing was accepted
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] fields = line.split("\t");
                Files.write(file, HexFormat.of().parseHex(fields[1]));
                if (fields[0].equals("valid")) {
                    vectors.compare(new String(Base64.getDecoder().decode(fields[2]), StandardCharsets.UTF_8));
                    valid++;
                    continue;
                }
                boolean isRejected = vectors.isRejected();
                if (!isRejected && !UNCHECKED.get(arguments[0]).contains(fields[2])) {
                    failures.add("accepted: " + fields[2]);
                } else if (!isRejected) {
                    unused.remove(fields[2]);
                }
                rejected += isRejected ? 1 : 0;
                accepted += isRejected ? 0 : 1;
            }
        } finally {
            Files.delete(file);
        }
        unused.forEach(rule -> failures.add("listed as unchecked, but always rejected: " + rule));
        if (!failures.isEmpty() || valid == 0 || rejected == 0) {
            throw new IllegalStateException(arguments[0] + ": " + valid + " valid, " + rejected + " rejected; "
                    + String.join("; ", failures));
        }
        System.out.println(arguments[0] + ": " + valid + " valid vectors read, " + rejected + " invalid ones rejected, " + accepted
                + " accepted, whose rules the reader does not check");
    }

    private static List<History.Interval> all(History history) throws IOException {
        int[] quarks = IntStream.range(0, history.attributes().size()).toArray();
        return history.range2d(quarks, history.start(), history.end());
    }

    private boolean isRejected() throws IOException {
        try (History history = Answers.open(encoding, file)) {
            all(history);
            history.full(history.start());
            history.full(history.end());
            return false;
        } catch (FormatException | EOFException e) {
            return true;
        }
    }

    private void compare(String model) throws IOException {
        try (History history = Answers.open(encoding, file)) {
            Attributes attributes = history.attributes();
            List<History.Interval> wanted = new ArrayList<>();
            int n = 0;
            for (String line : model.split("\n")) {
                String[] fields = line.split("\t", -1);
                if (fields[0].equals("Q")) {
                    expect(line, fields[2] + "\t" + unescaped(fields[3]), attributes.parent(n) + "\t" + attributes.name(n));
                    n++;
                } else if (fields[0].equals("I")) {
                    wanted.add(new History.Interval(Integer.parseInt(fields[1]), Long.parseLong(fields[2]),
                            Long.parseLong(fields[3]), value(fields[4], fields[5])));
                }
            }
            expect("attributes", n, attributes.size());
            expect("intervals", Answers.sorted(wanted), Answers.sorted(all(history)));
            for (long time : new long[] { history.start(), history.end() }) {
                expect("full state", wanted.stream().filter(i -> i.contains(time)).sorted((a, b) -> a.quark() - b.quark()).toList(),
                        history.full(time));
            }
        }
    }

    private void expect(String what, Object wanted, Object read) {
        if (!wanted.equals(read)) {
            throw new IllegalStateException(encoding + ": " + what + ": " + read + " instead of " + wanted);
        }
    }

    private static Object value(String type, String text) {
        return switch (type) {
        case "n" -> null;
        case "i" -> Integer.valueOf(text);
        case "l" -> Long.valueOf(text);
        case "b" -> Boolean.valueOf(text);
        case "s" -> unescaped(text);
        // Equal doubles of Java are equal bits, except that all NaNs are one.
        default -> text.startsWith("0x") ? (Object) Double.NaN : Double.valueOf(text);
        };
    }

    private static String unescaped(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            plain.append(c != '\\' ? c : switch (text.charAt(++i)) {
            case 't' -> '\t';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case '0' -> '\0';
            default -> '\\';
            });
        }
        return plain.toString();
    }
}
