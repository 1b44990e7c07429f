/*
 * The attribute tree of a history tree file, by Java's own streams, as Trace Compass writes and reads
 * it.
 *
 *   java StatehistTree.java read FILE.ht >LINES     the tree as lines Q of statehistory-tsv
 *   java StatehistTree.java write LINES >TREE       such lines as the bytes that end a file
 */
import java.io.*;
import java.nio.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;

public class StatehistTree {
    static final int MAGIC = 0x06EC3671;

    public static void main(String[] args) throws Exception {
        if (args[0].equals("read"))
            read(args[1]);
        else
            write(args[1]);
    }

    // ---- reading ---------------------------------------------------------------------------

    /** Each path by itself: a name "*" means the name at its place in the path before. */
    static void read(String file) throws Exception {
        byte[] bytes = Files.readAllBytes(Paths.get(file));
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int start = 4096 + header.getInt(12) * header.getInt(20);
        InputStream tail = new ByteArrayInputStream(bytes, start, bytes.length - start);
        List<?> paths;
        try (ObjectInputStream in = new ObjectInputStream(tail)) {
            if (in.readInt() != MAGIC)
                throw new IOException("another magic number");
            paths = (List<?>) in.readObject();
        }
        if (tail.read() != -1)
            throw new IOException("bytes after the tree");
        print(paths);
    }

    static void print(List<?> paths) throws Exception {
        Map<List<String>, Integer> quarks = new HashMap<>();
        List<String> before = new ArrayList<>();
        StringBuilder lines = new StringBuilder();
        for (Object object : paths) {
            List<String> path = new ArrayList<>(Arrays.asList((String[]) object));
            for (int i = 0; i < path.size() && i < before.size(); i++)
                if (path.get(i).equals("*"))
                    path.set(i, before.get(i));
            List<String> above = path.subList(0, path.size() - 1);
            int parent = above.isEmpty() ? -1 : quarks.get(new ArrayList<>(above));
            String name = path.get(path.size() - 1);
            lines.append("Q\t" + quarks.size() + "\t" + parent + "\t" + escape(name) + "\n");
            quarks.put(path, quarks.size());
            before = path;
        }
        System.out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    static String escape(String name) {
        return name.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
            .replace("\r", "\\r");
    }

    // ---- writing ---------------------------------------------------------------------------

    /** A string object for each attribute, and one for all "*". */
    static void write(String file) throws Exception {
        List<String> names = new ArrayList<>();
        List<Integer> parents = new ArrayList<>();
        String text = new String(Files.readAllBytes(Paths.get(file)), StandardCharsets.UTF_8);
        for (String line : text.split("\n")) {
            String[] fields = line.split("\t", -1);
            parents.add(Integer.parseInt(fields[2]));
            names.add(new String(unescape(fields[3]))); // of its own, whatever it equals
        }
        ArrayList<String[]> paths = new ArrayList<>(names.size());
        List<String> before = new ArrayList<>();
        for (int quark = 0; quark < names.size(); quark++) {
            LinkedList<String> path = new LinkedList<>();
            for (int q = quark; q != -1; q = parents.get(q))
                path.addFirst(names.get(q));
            String[] steps = path.toArray(new String[0]);
            for (int i = 0; i < steps.length && i < before.size(); i++)
                if (steps[i].equals(before.get(i)))
                    steps[i] = "*";
            paths.add(steps);
            before = path;
        }
        try (ObjectOutputStream out = new ObjectOutputStream(System.out)) {
            out.writeInt(MAGIC);
            out.writeObject(paths);
        }
    }

    static String unescape(String field) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == '\\') {
                c = field.charAt(++i);
                c = c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
            }
            name.append(c);
        }
        return name.toString();
    }
}
