"""Compares the rows of a model with those that another reader of .eh_frame interprets.

    python3 codecs/unwind/judge_rows.py llvm|readelf BINARY MODEL [BASE]

BINARY is dumped by `llvm-dwarfdump --eh-frame` (DWARFDUMP overrides the command) or by `readelf -wF` (READELF). MODEL
is a text form. With BASE, BINARY has lean .eh_frame, in which a pattern function is an FDE of its own, and the
functions of MODEL start BASE bytes higher. The tool's rows are reduced to the facts of the model by the importer's
rules, and what they drop is counted. Exit status 1: functions or rows differ.

readelf prints `s` and `u` alike, and all expressions alike, so that these are compared as one.
"""

import os
import re
import subprocess
import sys

AMD64 = "RAX RDX RCX RBX RSI RDI RBP RSP R8 R9 R10 R11 R12 R13 R14 R15 RIP".split()
ZARCH_F = [0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15]  # f registers in the order of their numbers from 16 on
# Of each machine: the numbers of sp, fp and RA, and its registers by the names of each tool.
MACHINES = {
    "amd64": (7, 6, 16, dict(zip(AMD64, range(17)))),
    "arm64": (31, 29, 30, {"WSP": 31, "reg34": 34, **{f"W{i}": i for i in range(31)}}),
    "s390x": (15, 11, 14, {**{f"R{i}D": i for i in range(16)}, **{f"F{f}D": 16 + i for i, f in enumerate(ZARCH_F)}}),
}
PLT = re.compile(r"DW_OP_breg7 RSP\+8, DW_OP_breg16 RIP\+0, DW_OP_lit15, DW_OP_and, DW_OP_lit(10|11), DW_OP_ge, "
                 r"DW_OP_lit3, DW_OP_shl, DW_OP_plus$")


class Machine:
    def __init__(self, arch):
        self.sp, self.fp, self.ra, self.numbers = MACHINES[arch]

    def register(self, number):
        return {self.sp: "sp", self.fp: "fp"}.get(number, f"r{number}")

    def offset(self, number, text):
        return self.register(number) + (text or "+0")


def dwarf_expression(machine, text, is_cfa):
    """`*sp+160` for a register, an offset and, in a CFA, a load; else `x`."""
    found = re.fullmatch(r"DW_OP_breg(\d+) \w+([-+]\d+)" + (", DW_OP_deref" if is_cfa else ""), text)
    return "*" + machine.offset(int(found[1]), found[2]) if found else "x"


def dwarf_rule(machine, text):
    found = re.fullmatch(r"\[CFA([-+]\d+)?\]", text)
    if found:
        return "c" + (found[1] or "+0")
    found = re.fullmatch(r"CFA([-+]\d+)?", text)
    if found:
        return "v" + (found[1] or "+0")
    if text.startswith("["):
        return dwarf_expression(machine, text[1:-1], False)
    if text in machine.numbers:
        return f"r{machine.numbers[text]}"
    return {"undefined": "u", "same": "s", "unspecified": "s"}.get(text, "x")


def dwarf_row(machine, text, ra_column):
    """(CFA, RA, FP, signed, the PLT's K or None)."""
    cfa, _, rest = text.partition(": ")
    cfa = cfa[len("CFA="):]
    plt = PLT.fullmatch(cfa)
    found = re.fullmatch(r"(\w+)([-+]\d+)?", cfa)
    if found and found[1] in machine.numbers:
        cfa = machine.offset(machine.numbers[found[1]], found[2])
    else:
        cfa = dwarf_expression(machine, cfa, True)
    rules = {}
    for rule in re.split(r", (?=\w+=)", rest) if rest else []:
        name, _, value = rule.partition("=")
        rules[machine.numbers.get(name)] = value
    ra, fp = (dwarf_rule(machine, rules.get(n, "same")) for n in (ra_column, machine.fp))
    return cfa, ra, fp, rules.get(34, "0") != "0", int(plt[1]) if plt else None


def read_llvm(machine, binary):
    """Yields (start, end, flags, rows) of each FDE; a row is (PC, facts...)."""
    text = subprocess.run([os.environ.get("DWARFDUMP", "llvm-dwarfdump-22"), "--eh-frame", binary], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    section = text[text.index("\n.eh_frame contents:"):]
    cies = {}
    for record in re.split(r"\n(?=[0-9a-f]{8} [0-9a-f]{8} )", section)[1:]:
        head = record.split("\n", 1)[0].split()
        if head[3] == "CIE":
            flags = re.search(r'Augmentation: +"([^"]*)"', record)[1]
            cies[head[0]] = "".join(c for c in "SB" if c in flags), int(re.search(r"column: (\d+)", record)[1])
            continue
        flags, column = cies[re.search(r"cie=(\w+)", record)[1]]
        start, end = (int(x, 16) for x in re.search(r"pc=(\w+)\.\.\.(\w+)", record).groups())
        rows = [(int(pc, 16), *dwarf_row(machine, row, column))
                for pc, row in re.findall(r"^  0x([0-9a-f]+): (.*)$", record, re.M)]
        yield start, end, flags, rows


def readelf_cell(text):
    """`s` and `u` are both `u`, each expression is `x`."""
    return "x" if text in ("exp", "vexp") else text


def read_readelf(machine, binary):
    """As read_llvm. readelf exits with 1 when a file with debug information, which binaries name, is not installed."""
    text = subprocess.run([os.environ.get("READELF", "readelf"), "-wF", binary], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    numbers = {name.lower(): number for name, number in machine.numbers.items()} if machine.sp == 7 else \
        {"sp": 31, **{f"{c}{i}": i for c in "rx" for i in range(32)}}
    cies = {}
    for record in re.split(r"\n(?=[0-9a-f]{8} [0-9a-f]{16} )", text)[1:]:
        lines = [re.sub(r" \([a-z]\w*\)", "", line) for line in record.splitlines()]
        head = lines[0].split()
        columns, rows = [], []
        for line in lines[1:]:
            words = line.split()
            if words[:1] == ["LOC"]:
                columns = words[1:]
            elif columns and re.match(r"[0-9a-f]{16} ", line):
                cells = dict(zip(columns, words[1:]))
                cfa = re.sub(r"^\w+(?=[-+])", lambda m: machine.register(numbers[m[0]]), cells["CFA"])
                fp = next((cells[name] for name in cells if numbers.get(name) == machine.fp), "u")
                rows.append((int(words[0], 16), readelf_cell(cfa), readelf_cell(cells.get("ra", "u")),
                             readelf_cell(fp), False, None))
        if head[3] == "CIE":
            flags = head[4].strip('"')
            cies[head[0]] = "".join(c for c in "SB" if c in flags), rows
            continue
        flags, first = cies[re.search(r"cie=(\w+)", lines[0])[1]]
        start, end = (int(x, 16) for x in re.search(r"pc=(\w+)\.\.(\w+)", lines[0]).groups())
        if not rows:  # the FDE adds nothing to its CIE
            rows = [(start, *first[-1][1:])]
        yield start, end, flags, rows


def reduced(fdes, is_lean, counts):
    """Functions {start: (length, flags, rep, rows)}, by the importer's rules."""
    functions = {}
    for start, end, flags, rows in fdes:
        if start == end:
            counts["FDEs of length 0"] += 1
            continue
        if start in functions:
            counts["FDEs with the start of another"] += 1
            continue
        plt = next((i for i, row in enumerate(rows) if row[5]), None)
        pieces = [(start, end, 0, [row for row in rows if row[0] < end])]
        counts["rows past the end"] += len(rows) - len(pieces[0][3])
        middle = start if is_lean else start + 16
        if plt is not None and rows[plt][0] == middle and start % 16 == 0 and plt == len(rows) - 1:
            facts = rows[plt][2:]
            pieces = [(start, middle, 0, rows[:plt])] if middle != start else []
            pieces.append((middle, end, 16, [(middle, "sp+8", *facts), (middle + facts[-1], "sp+16", *facts)]))
            counts["pattern functions"] += 1
        for begin, stop, rep, own in pieces:
            kept = []
            for pc, *facts, _ in own:
                counts["rows"] += 1
                if kept and kept[-1][1:] == (*facts,):
                    counts["rows merged"] += 1
                else:
                    kept.append((pc - begin, *facts))
            functions[begin] = (stop - begin, flags, rep, kept)
    return functions


def read_model(lines):
    functions = {}
    for words in (line.split() for line in lines):
        if words[0] == "fn":
            rep = [int(w[4:]) for w in words[3:] if w.startswith("rep=")]
            rows = []
            functions[int(words[1], 16)] = (int(words[2]), "".join(w for w in words[3:] if len(w) == 1),
                                            rep[0] if rep else 0, rows)
        elif words[0].isdigit():
            rows.append((int(words[0]), *words[1:4], "a" in words[4:]))
    return functions


def without_distinctions(functions, is_lean):
    """What readelf shows: neighbours that it prints alike become one."""
    plain = {}
    for start, (length, flags, rep, rows) in functions.items():
        if rep:  # a PLT: an expression, which a linker puts into the function before
            before = (0, flags, []) if is_lean else plain.pop(start - 16)
            start -= before[0]
            plain[start] = (before[0] + length, flags, before[2] + [(before[0], "x", "c-8", "u")])
            continue
        kept = []
        for off, cfa, ra, fp, _ in rows:
            facts = tuple("u" if x == "s" else "x" if x[0] == "*" else x for x in (cfa, ra, fp))
            if not kept or kept[-1][1:] != facts:
                kept.append((off, *facts))
        plain[start] = (length, flags, kept)
    return plain


def main():
    tool, binary, model_path = sys.argv[1:4]
    is_lean = len(sys.argv) > 4
    base = int(sys.argv[4], 16) if is_lean else 0
    with open(model_path, encoding="ascii") as file:
        lines = file.read().splitlines()
    machine = Machine(lines[1].split()[1])
    counts = dict.fromkeys(["rows", "rows merged", "rows past the end", "FDEs of length 0",
                            "FDEs with the start of another", "pattern functions"], 0)
    fdes = list((read_llvm if tool == "llvm" else read_readelf)(machine, binary))
    theirs = reduced(fdes, is_lean, counts)
    ours = {start - base: f for start, f in read_model(lines).items()}
    if tool == "readelf":
        theirs, ours = without_distinctions(theirs, is_lean), without_distinctions(ours, is_lean)
    differing = sorted(s for s in theirs.keys() | ours.keys() if theirs.get(s) != ours.get(s))
    for start in differing[:5]:
        print(f"function {start:#x}: {tool} has {theirs.get(start)}, the model {ours.get(start)}", file=sys.stderr)
    dropped = ", ".join(f"{n} {what}" for what, n in counts.items() if n and what != "rows")
    print(f"{tool}: {len(theirs)} functions of {len(fdes)} FDEs, {sum(len(f[-1]) for f in theirs.values())} rows of "
          f"{counts['rows']}, {len(differing)} functions differ; {dropped or 'nothing dropped'}")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
