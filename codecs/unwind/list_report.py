"""The figures for a mailing list, in 72 columns: sizes of the rivals, and what was published beside what is here.

    python3 codecs/unwind/list_report.py [--check] [FILE...]

FILEs are text forms (.txt or .txt.xz); without them, the embedded documents. Bytes are of the sections with all their
headers; ratios are recomputed from the published bytes. --check compares the output with the block in NOTES.md. Needs
build/bakeoff (BAKEOFF overrides it). Exit status 1: the block differs.
"""

import bisect
import glob
import lzma
import os
import struct
import subprocess
import sys
import tempfile
import textwrap

BAKEOFF = os.environ.get("BAKEOFF", "build/bakeoff")
HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN, END = "<!-- list report -->\n", "<!-- end of list report -->\n"
CODECS = ["eh-frame", "sframe-v2", "sframe-v3", "orc", "compact-unwind", "delta16", "delta8", "delta4", "sequences",
          "sequences-fixed"]
MAX_INFOS = 16384  # of OpenTelemetry's profiler, for all programs together


class Document:
    def __init__(self, path, folder):
        self.name = os.path.basename(path).split(".")[0]
        with (lzma.open if path.endswith(".xz") else open)(path, "rt", encoding="ascii") as file:
            lines = file.read().splitlines()
        self.functions = [(int(w[1], 16), int(w[2])) for w in map(str.split, lines) if w[0] == "fn"]
        self.text = sum(length for _, length in self.functions)
        self.arch = lines[1].split()[1]
        self.eh_frame, self.hdr = next((int(w[1]), int(w[2])) for w in map(str.split, lines) if w[0] == "real")
        self.parts = {}
        model = f"{folder}/model"
        with open(model, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        for codec in CODECS:
            payload = f"{folder}/payload"
            if subprocess.run([BAKEOFF, "encode", f"unwind/{codec}", model, "--raw", "-o", payload], check=False,
                              stderr=subprocess.DEVNULL).returncode == 0:
                with open(payload, "rb") as file:
                    head = file.read(64)
                self.parts[codec] = struct.unpack_from(f"<{struct.unpack_from('<H', head, 2)[0]}Q", head, 16)
                if codec == "compact-unwind":
                    self.lost = self.lost_functions(payload)

    def lost_functions(self, payload):
        """Functions of which compact unwind knows nothing."""
        text = subprocess.run([BAKEOFF, "decode", "unwind/compact-unwind", payload, "--raw"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        marks = []  # (address, whether something is known from there on)
        for words in map(str.split, text.splitlines()):
            if words[0] == "fn":
                start = int(words[1], 16)
                if marks and marks[-1][0] == start:
                    marks.pop()  # the end of the stretch before
                marks.append((start + int(words[2]), False))
            elif words[0].isdigit():
                marks.insert(-1, (start + int(words[0]), words[1] != "x"))
        addresses = [address for address, _ in marks]
        return sum(not marks[bisect.bisect(addresses, f) - 1][1] for f, _ in self.functions)

    def nbytes(self, codec):
        return sum(self.parts[codec]) if codec in self.parts else None


def ratio(a, b, digits=2):
    return f"{a / b:.{digits}f}" if a is not None else "-"


def span(values, digits=2):
    values = sorted(values)
    return f"{values[0]:.{digits}f} to {values[-1]:.{digits}f}" if values else "none"


def size_table(documents):
    columns = ["SFrame v3", "real", "lean", "v2", "ORC", "d16", "d8", "d4", "ours", "fixed"]
    yield "bytes over those of SFrame v3"
    yield f"{'':16}{columns[0]:>9}" + "".join(f"{c:>5}" for c in columns[1:8]) + "".join(f"{c:>6}" for c in columns[8:])
    for d in documents:
        v3 = d.nbytes("sframe-v3")
        rivals = ("eh-frame", "sframe-v2", "orc", "delta16", "delta8", "delta4")
        shares = [d.eh_frame + d.hdr] + [d.nbytes(c) for c in rivals]
        ours = [d.nbytes(c) for c in ("sequences", "sequences-fixed")]
        yield (f"{d.name:16}{v3:9}" + "".join(f"{ratio(b, v3):>5}" for b in shares) +
               "".join(f"{ratio(b, v3, 3):>6}" for b in ours))


def published(documents):
    """(what, published, here) lines; every ratio is computed from the bytes that were published."""
    amd64 = [d for d in documents if d.arch == "amd64"]
    others = [d for d in documents if d.arch != "amd64"]
    compact = [d for d in documents if "compact-unwind" in d.parts]

    def by_arch(value):
        return "; ".join(f"{name} {span(map(value, group))}" for name, group in
                         (("amd64", amd64), ("arm64, s390x", others)) if group)

    yield (".sframe over .eh_frame and its header",
           f"clang {ratio(9303875, 7408976 + 1023004, 3)}",
           by_arch(lambda d: d.nbytes("sframe-v2") / (d.eh_frame + d.hdr)))
    yield (".sframe over .eh_frame alone",
           f"clang {ratio(9303875, 7408976, 3)}; opt {ratio(4448874, 4559644, 3)} by clang, "
           f"{ratio(5263676, 4857364, 3)} by gcc; llvm-mc {ratio(348041, 367424, 3)}, {ratio(356073, 354292, 3)}; opt, "
           f"synchronous only {ratio(2951292, 3425116, 3)}",
           by_arch(lambda d: d.nbytes("sframe-v2") / d.eh_frame))
    yield ("SFrame v3 over v2", "\"even larger\"",
           span((d.nbytes("sframe-v3") / d.nbytes("sframe-v2") for d in documents), 3))
    yield ("compact unwind: what is left to .eh_frame",
           f"opt {ratio(267008, 4559644, 3)} of its bytes, {ratio(267008 + 933756, 4559644, 3)} with the header",
           "functions of which nothing is known: amd64 " +
           span((d.lost / len(d.functions) for d in compact if d.arch == "amd64"), 3) + "; arm64 " +
           span((d.lost / len(d.functions) for d in compact if d.arch == "arm64"), 3))
    yield ("compact unwind over text", f"Apple {0x79060 / 0x4a55470:.4f}",
           span((d.nbytes("compact-unwind") / d.text for d in compact), 4) +
           f"; SFrame v3 {span((d.nbytes('sframe-v3') / d.text for d in documents), 3)}, "
           f"ours {span((d.nbytes('sequences') / d.text for d in documents), 4)}")
    yield (".ARM.exidx over text", "6.1 %, .eh_frame 14.7 %", "none: no document is of 32-bit ARM")
    yield ("delta4: distinct infos", f"\"array full ({MAX_INFOS})\"; 2.79 million deltas, "
           f"{2.79e6 * 4 / 1e6:.1f} MB",
           f"at most {max(d.parts['delta4'][2] // 12 for d in documents)} of a program; "
           f"{sum(d.parts['delta4'][1] // 4 for d in documents)} deltas of all, "
           f"{sum(d.nbytes('delta4') for d in documents) / 1e6:.1f} MB")
    yield ("delta16", f"12.5 million rows, {12.5 * 16:.0f} MB",
           f"{sum(d.nbytes('delta16') // 16 for d in documents)} rows of all, "
           f"{sum(d.nbytes('delta16') for d in documents) / 1e6:.1f} MB; ours "
           f"{sum(d.nbytes('sequences') for d in documents) / 1e6:.2f} MB")
    yield ("compiled tables over the interpreter", "11 to 25 times faster", "see the times below")
    yield ("a section of 0 bytes", "one tool accepts, one rejects", "see the table of readers below")


def report(documents):
    yield from size_table(documents)
    yield ""
    yield "published, and the same here (.sframe: v2)"
    for what, there, here in published(documents):
        yield what
        for name, text in (("there", there), ("here", here)):
            yield from textwrap.wrap(text, 68, initial_indent=f"  {name + ':':7}", subsequent_indent=" " * 9)


def main():
    paths = [a for a in sys.argv[1:] if a != "--check"] or sorted(glob.glob(f"{HERE}/../../corpora/unwind/*.txt.xz"))
    with tempfile.TemporaryDirectory() as folder:
        lines = list(report([Document(path, folder) for path in paths]))
    wide = [line for line in lines if len(line) > 72]
    assert not wide, wide
    text = "".join(("    " + line).rstrip() + "\n" for line in lines)
    if "--check" not in sys.argv:
        print("\n".join(lines))
        return
    with open(f"{HERE}/NOTES.md", encoding="utf-8") as file:
        notes = file.read()
    if notes.count(BEGIN + "\n" + text + "\n" + END) != 1:
        sys.exit("codecs/unwind/NOTES.md: the figures differ from those of codecs/unwind/list_report.py")
    print(f"{len(lines)} lines of codecs/unwind/NOTES.md are as measured")


if __name__ == "__main__":
    main()
