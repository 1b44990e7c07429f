package statehist;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Replays a recorded workload on both readers, compares their answers, and prints the latency of the user's actions:
 *
 *     Replay HISTORY.ht HISTORY.time-index ROUNDS < WORKLOAD
 *
 * Each round opens both files anew and runs all actions in order, each on both readers; which one is first changes with
 * every action. The latency of an action is the CPU time of its queries, which background load affects least. It is the
 * median of all rounds but the first, which the Java machine partly interprets. The figures of the first round are printed
 * separately.
 */
final class Replay {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final String[] ENCODINGS = { "ht", "time-index" };

    private final Path[] files;
    private final List<Query.Action> actions;
    private final int nRounds;
    private final long[][] openNs; // by reader, round
    private final long[][][] actionNs; // by reader, action, round
    private long digest;

    private Replay(Path[] files, List<Query.Action> actions, int nRounds) {
        this.files = files;
        this.actions = actions;
        this.nRounds = nRounds;
        openNs = new long[2][nRounds];
        actionNs = new long[2][actions.size()][nRounds];
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Replay replay = new Replay(new Path[] { Path.of(arguments[0]), Path.of(arguments[1]) },
                Query.readWorkload(in), Integer.parseInt(arguments[2]));
        for (int round = 0; round < replay.nRounds; round++) {
            replay.run(round);
        }
        replay.print();
    }

    private void run(int round) throws IOException {
        History[] readers = new History[2];
        digest = 0;
        try {
            for (int i = 0; i < 2; i++) {
                int which = (i + round) % 2;
                long before = THREADS.getCurrentThreadCpuTime();
                readers[which] = Answers.open(ENCODINGS[which], files[which]);
                openNs[which][round] = THREADS.getCurrentThreadCpuTime() - before;
            }
            for (int a = 0; a < actions.size(); a++) {
                List<Query> queries = actions.get(a).queries();
                long[][] digests = new long[2][];
                for (int i = 0; i < 2; i++) {
                    int which = (i + a + round) % 2;
                    List<List<History.Interval>> answers = new ArrayList<>(queries.size());
                    long before = THREADS.getCurrentThreadCpuTime();
                    for (Query query : queries) {
                        answers.add(query.run(readers[which]));
                    }
                    actionNs[which][a][round] = THREADS.getCurrentThreadCpuTime() - before;
                    digests[which] = answers.stream().mapToLong(Replay::digestOf).toArray();
                }
                for (int q = 0; q < queries.size(); q++) {
                    if (digests[0][q] != digests[1][q]) {
                        throw new IllegalStateException("ht and time-index differ: query " + q + " of action " + a
                                + ": " + queries.get(q).kind());
                    }
                    digest = digest * 31 + digests[0][q];
                }
            }
        } finally {
            for (History reader : readers) {
                if (reader != null) {
                    reader.close();
                }
            }
        }
    }

    /** Does not depend on the order of intervals. */
    private static long digestOf(List<History.Interval> answer) {
        long sum = answer.size();
        for (History.Interval i : answer) {
            long h = i.quark();
            for (long v : new long[] { i.start(), i.end(), i.value() == null ? 0 : i.value().getClass().getName().hashCode(),
                    i.value() == null ? 0 : i.value().hashCode() }) {
                h = (h ^ v) * 0x9e3779b97f4a7c15L;
                h ^= h >>> 29;
            }
            sum += h;
        }
        return sum;
    }

    private void print() {
        int nQueries = actions.stream().mapToInt(a -> a.queries().size()).sum();
        System.out.printf("%d queries in %d actions, %d rounds; all answers agree, digest %016x%n", nQueries,
                actions.size(), nRounds, digest);
        System.out.printf("%n| CPU ms | count | ht, median | time-index, median | ratio | ht, worst | time-index, worst | ratio |%n");
        System.out.printf("|---|--:|--:|--:|--:|--:|--:|--:|%n");
        row("file opened", new long[][] { { steady(openNs[0]) }, { steady(openNs[1]) } });
        Map<String, List<Integer>> kinds = new LinkedHashMap<>();
        for (int a = 0; a < actions.size(); a++) {
            kinds.computeIfAbsent(actions.get(a).name(), k -> new ArrayList<>()).add(a);
        }
        kinds.forEach((kind, numbers) -> {
            long[][] ns = new long[2][];
            for (int i = 0; i < 2; i++) {
                long[][] rounds = actionNs[i];
                ns[i] = numbers.stream().mapToLong(a -> steady(rounds[a])).toArray();
            }
            row(kind, ns);
        });
        System.out.printf("%nFirst round, ms: ht %.1f to open, %.1f for all actions; time-index %.1f, %.1f%n",
                openNs[0][0] / 1e6, Arrays.stream(actionNs[0]).mapToLong(r -> r[0]).sum() / 1e6, openNs[1][0] / 1e6,
                Arrays.stream(actionNs[1]).mapToLong(r -> r[0]).sum() / 1e6);
    }

    private static void row(String name, long[][] ns) {
        double[] medians = new double[2];
        double[] worst = new double[2];
        for (int i = 0; i < 2; i++) {
            medians[i] = median(ns[i]) / 1e6;
            worst[i] = Arrays.stream(ns[i]).max().orElse(0) / 1e6;
        }
        System.out.printf("| %s | %d | %.3f | %.3f | %.2f | %.3f | %.3f | %.2f |%n", name, ns[0].length, medians[0],
                medians[1], medians[1] / medians[0], worst[0], worst[1], worst[1] / worst[0]);
    }

    /** The median of all rounds but the first; of a single round, that. */
    private static long steady(long[] rounds) {
        return median(rounds.length == 1 ? rounds : Arrays.copyOfRange(rounds, 1, rounds.length));
    }

    private static long median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }
}
