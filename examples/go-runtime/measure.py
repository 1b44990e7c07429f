#!/usr/bin/env python3
"""Runs the programs that run.sh built, in turns, and writes the tables RESULTS.tsv and RESULTS.md.

    measure.py BUILD RESULTS TURNS CODEC...

The first codec is the one that the others are compared with. Each codec's programs run twice in each
turn: as built, and as a copy of the same file (A/A), whose ratio to the first shows the error of the
times. Times are CPU times of whole processes (getrusage), or of calls inside a process (program
`calls`). The order of the codecs rotates from turn to turn, and each kind of call runs with all
codecs before the next, so that what else the machine does affects all of them alike.
"""
import os
import shutil
import statistics
import subprocess
import sys

SIZES = ["http", "prof", "gofmt", "vet", "compile"]
PROGRAMS = {"deep": [], "panics": ["-n", "20000"], "prof": ["-n", "5"], "http": []}
CALLS = {
    "callers-10-equal": "`runtime.Callers`, 10 equal frames",
    "callers-200-equal": "`runtime.Callers`, 200 equal frames (the cache answers)",
    "callers-mixed": "`runtime.Callers`, frames of text/template, encoding/json, regexp",
    "callers-mixed-4x": "`runtime.Callers`, the same four times",
    "callers-long-function": "`runtime.Callers` below a long function",
    "caller": "`runtime.Caller(1)`",
    "stack-text": "`debug.Stack`",
    "callers-frames": "`CallersFrames`: names, files, lines",
    "panic": "panic through deferred calls, and recover",
    "stack-growth": "goroutine whose stack grows",
    "gc-equal": "`runtime.GC`, 500 goroutines x 200 equal frames",
    "gc-shallow": "`runtime.GC`, 5000 shallow goroutines",
    "gc-mixed": "`runtime.GC`, 500 goroutines, deep mixed stacks",
    "goroutine-profile": "`GoroutineProfile` of these",
    "goroutine-text": "pprof's goroutine profile of these",
    "no-lookup": "no lookups: deflate (shows what the layout of code changes)",
}
COMPILE = "the compiler on go/types"


def cpu_of(argv):
    """Returns the CPU time of a command in microseconds, and its output."""
    read, write = os.pipe()
    child = subprocess.Popen(argv, stdout=write, stderr=subprocess.STDOUT)
    os.close(write)
    with os.fdopen(read) as f:
        output = f.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("%s: exit status %d\n%s" % (argv[0], child.returncode, output))
    return 1e6 * (usage.ru_utime + usage.ru_stime), output


def jobs(build, first):
    """Yields (what, function of a folder of programs that returns microseconds)."""
    for what in CALLS:
        yield what, lambda folder, what=what: float(cpu_of([folder + "/calls", what])[1])
    for program, flags in PROGRAMS.items():
        yield "program " + program, lambda folder, program=program, flags=flags: (
            cpu_of([os.path.join(folder, program)] + flags)[0])
    source = os.path.join(build, first)
    with open(source + "/files") as f:
        compile = ["-o", build + "/scratch.a", "-p", "go/types", "-std", "-complete",
                   "-importcfg", source + "/importcfg", "-pack"] + f.read().split()
    yield COMPILE, lambda folder: cpu_of([folder + "/compile"] + compile)[0]


def processor():
    """Returns the model's name, family and number."""
    fields = {}
    with open("/proc/cpuinfo") as f:
        for line in f:
            name, _, value = line.partition(":")
            fields.setdefault(name.strip(), value.strip())
    return "%s (family %s, model %s)" % tuple(
        fields.get(name, "unknown") for name in ("model name", "cpu family", "model"))


def microseconds(us):
    return "%.0f ms" % (us / 1e3) if us >= 1e5 else "%.1f us" % us if us < 100 else "%.0f us" % us


def main():
    build, results, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
    codecs = sys.argv[4:]
    folders = {}
    for codec in codecs:
        folders[codec, ""] = os.path.join(build, codec, "bin")
        folders[codec, "A/A"] = os.path.join(build, codec, "copy")
        shutil.rmtree(folders[codec, "A/A"], ignore_errors=True)
        shutil.copytree(folders[codec, ""], folders[codec, "A/A"])
    load = [os.getloadavg()[0]]
    work = list(jobs(build, codecs[0]))
    times = {(what, key): [] for what, _ in work for key in folders}
    order = list(folders)
    for turn in range(turns):
        for what, run in work:
            if what in CALLS or turn % 3 == 0:
                for key in order:
                    times[what, key].append(run(folders[key]))
        order = order[1:] + order[:1]
        load.append(os.getloadavg()[0])
        print("turn %d of %d, load %.1f" % (turn + 1, turns, load[-1]), flush=True)

    def ratio(what, key, base):
        """The median of the ratios of two times of the same turn."""
        return statistics.median(a / b for a, b in zip(times[what, key], times[what, base]))

    base = (codecs[0], "")
    loads = "load average %.1f to %.1f on %d processors%s" % (
        min(load), max(load), os.cpu_count(), ": other jobs ran" if min(load) > os.cpu_count() else "")
    with open(results + ".tsv", "w") as f:
        f.write("# %s; %s; %d turns; Go 1.19, linux/amd64\n" % (processor(), loads, turns))
        f.write("what\tunit\tcodec\tcopy\tmedian\tlower quartile\tupper quartile\tratio\n")
        for program in SIZES:
            for codec in codecs:
                size = os.path.getsize(os.path.join(folders[codec, ""], program))
                f.write("size of %s\tbytes\t%s\t\t%d\t\t\t%.4f\n"
                        % (program, codec, size, size / os.path.getsize(os.path.join(folders[base], program))))
        for what, _ in work:
            for key in folders:
                values = times[what, key]
                low, middle, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
                f.write("%s\tus\t%s\t%s\t%.3f\t%.3f\t%.3f\t%.4f\n"
                        % (what, *key, middle, low, high, ratio(what, key, base)))
    with open(results + ".md", "w") as f:
        f.write("# PC tables in the Go runtime\n\n")
        f.write("Linker and runtime of Go 1.19, linux/amd64, with other encodings of PC tables: "
                "[examples/go-runtime](../examples/go-runtime/README.md).\n\n")
        f.write("%s, %s. CPU times by getrusage, %d turns, in which the programs of all codecs run one "
                "after the other; whole programs every third turn. A ratio is the median of the turns' ratios; "
                "less is better. A/A is the ratio of a copy of the same file to the file: a ratio "
                "that is as close to 1 as its A/A shows no difference.\n\n" % (processor(), loads, turns))
        f.write("| size of a program | %s, bytes |" % codecs[0])
        f.write("".join(" %s |" % codec for codec in codecs[1:]))
        f.write("\n|---|---:|" + "---:|" * (len(codecs) - 1) + "\n")
        for program in SIZES:
            sizes = [os.path.getsize(os.path.join(folders[codec, ""], program)) for codec in codecs]
            f.write("| %s | %d |" % (program, sizes[0]))
            f.write("".join(" %+.2f %% |" % (100.0 * size / sizes[0] - 100) for size in sizes[1:]) + "\n")
        f.write("\n| CPU time | %s | A/A |" % codecs[0])
        f.write("".join(" %s / %s | A/A |" % (codec, codecs[0]) for codec in codecs[1:]))
        f.write("\n|---|" + "---:|---:|" * len(codecs) + "\n")
        for what, _ in work:
            f.write("| %s | %s |" % (CALLS.get(what, what), microseconds(statistics.median(times[what, base]))))
            for codec in codecs:
                if codec != codecs[0]:
                    f.write(" %.2f |" % ratio(what, (codec, ""), base))
                f.write(" %.2f |" % ratio(what, (codec, "A/A"), (codec, "")))
            f.write("\n")


main()
