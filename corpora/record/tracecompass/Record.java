/*
 * Records a scripted session on a history file (.ht) with the classes of an installed Trace Compass:
 *
 *     java -cp CLASSES:JARS Record HISTORY PROVIDER_VERSION ACTIONS > lines
 *
 * Everything of Trace Compass is reached by name, so that this compiles without it. The rows of the view are the
 * attributes below Threads/*, each with its System_call, or all attributes where there are no threads.
 */
import java.io.BufferedWriter;
import java.io.File;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

public final class Record {
    private static final String CORE = "org.eclipse.tracecompass.statesystem.core.";

    private Record() {
    }

    /** The arguments: a history file, the version of the provider that wrote it, and how many actions to play. */
    public static void main(String[] arguments) throws Exception {
        PrintWriter out = new PrintWriter(
                new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8)));
        Class<?> backendType = Class.forName(CORE + "backend.IStateHistoryBackend");
        Object backend = Class.forName(CORE + "backend.StateHistoryBackendFactory")
                .getMethod("createHistoryTreeBackendExistingFile", String.class, File.class, int.class)
                .invoke(null, "bakeoff", new File(arguments[0]), Integer.parseInt(arguments[1]));
        Object stateSystem = Class.forName(CORE + "StateSystemFactory")
                .getMethod("newStateSystem", backendType, boolean.class).invoke(null, backend, false);
        record(Class.forName(CORE + "ITmfStateSystem"), stateSystem, Integer.parseInt(arguments[2]), out);
        out.flush();
    }

    private static <T> void record(Class<T> type, Object stateSystem, int nActions, PrintWriter out) throws Exception {
        T recorded = RecordingStateSystem.wrap(type, type.cast(stateSystem), out);
        long start = (Long) type.getMethod("getStartTime").invoke(stateSystem);
        long end = (Long) type.getMethod("getCurrentEndTime").invoke(stateSystem);
        List<Integer> rows = quarks(type, stateSystem, "Threads", "*");
        rows.addAll(quarks(type, stateSystem, "Threads", "*", "System_call"));
        if (rows.isEmpty()) {
            int n = (Integer) type.getMethod("getNbAttributes").invoke(stateSystem);
            for (int i = 0; i < n; i++) {
                rows.add(i);
            }
        }
        rows.sort(null);
        Session.play(recorded, rows, start, end, 1, nActions, out);
    }

    @SuppressWarnings("unchecked")
    private static List<Integer> quarks(Class<?> type, Object stateSystem, String... pattern) throws Exception {
        return new ArrayList<>(
                (List<Integer>) type.getMethod("getQuarks", String[].class).invoke(stateSystem, (Object) pattern));
    }
}
