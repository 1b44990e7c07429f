#!/usr/bin/env bash
# Compares the annotated hex dumps of the specifications with what the codecs write.
# A README's section has a block `model`, the text form of a small model, and below it blocks `dump FORMAT/CODEC` of its
# encodings, as docs/primitives.md describes. Fails where a byte, an offset or the length differs, where a field has no
# name, and where the section of an encoding of role `new` or `proposed` has no dump. BAKEOFF overrides build/bakeoff.
# Exit 0: all equal; 1: something differs; 77: could not run.
set -u
cd "$(dirname "$0")/.." || exit 77
bakeoff=${BAKEOFF:-build/bakeoff}
command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }
exec python3 - "$bakeoff" <<'PYTHON'
import glob, json, re, subprocess, sys, tempfile

bakeoff = sys.argv[1]
passed = failed = 0
covered = set()                 # specifications, FILE#ANCHOR
LINE = re.compile(r" {0,8}(\d+)  ((?:[0-9a-f]{2}(?:\*\d+)?|'[^']*')(?: (?:[0-9a-f]{2}(?:\*\d+)?|'[^']*'))*)(?: {2,}(\S.*))?")


def run(*arguments):
    return subprocess.run([bakeoff, *arguments], capture_output=True, check=False)


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def token(text):                # `1f`, `00*8` or `'text'` with \n
    if text[0] == "'":
        return text[1:-1].replace("\\n", "\n").encode()
    byte, _, times = text.partition("*")
    return bytes.fromhex(byte) * int(times or 1)


def parse(lines):               # bytes of a dump; an exception where a line is wrong
    data, name = b"", None
    for line in lines:
        if line.startswith(" " * 10) and data:
            continue            # a further line of a name
        match = LINE.fullmatch(line)
        if not match:
            raise ValueError(f"no offset, bytes and name: {line!r}")
        if int(match[1]) != len(data):
            raise ValueError(f"offset {match[1]} where {len(data)} bytes precede")
        name = match[3] or name
        if not name:
            raise ValueError(f"field without a name: {line!r}")
        for part in re.findall(r"'[^']*'|\S+", match[2]):
            data += token(part)
    return data


def check(codec, lines, model):
    if model is None:
        return "no model before the dump"
    with tempfile.NamedTemporaryFile() as text:
        text.write(model.encode())
        text.flush()
        result = run("encode", codec, text.name, "--raw", "-o", "-")
    if result.returncode:
        return result.stderr.decode().strip()
    try:
        data = parse(lines)
    except ValueError as error:
        return str(error)
    wanted = result.stdout
    if data == wanted:
        return None
    at = next((i for i, (a, b) in enumerate(zip(data, wanted)) if a != b), min(len(data), len(wanted)))
    return f"byte {at}: {data[at:at + 1].hex() or 'no byte'} in the dump, {wanted[at:at + 1].hex() or 'no byte'} encoded"


codecs = json.loads(run("list", "codecs", "--json").stdout)
spec_of = {f"{c['format']}/{c['codec']}": c["spec"] for c in codecs}
for readme in sorted(glob.glob("codecs/*/README.md")):
    headings, fence, model, block = {}, None, None, []
    with open(readme, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines, 1):
        if fence is not None:
            if line != "```":
                block.append(line)
                continue
            if fence == "model":
                model = "".join(f"{text}\n" for text in block)
            elif fence.startswith("dump "):
                codec = fence[5:]
                inside = {f"{readme}#{name}" for name in headings.values()}
                problem = check(codec, block, model)
                if not problem and spec_of.get(codec) not in inside:
                    problem = f"outside of its section, {spec_of.get(codec)}"
                covered |= {spec_of.get(codec)}
                if problem:
                    print(f"failed: {readme}:{number}: {codec}: {problem}")
                passed, failed = passed + (not problem), failed + bool(problem)
            fence = None
        elif line.startswith("```"):
            fence, block = line[3:], []
        elif heading := re.fullmatch("(#+) (.*)", line):
            level = len(heading[1])
            headings = {n: name for n, name in headings.items() if n < level} | {level: anchor(heading[2])}
for codec in codecs:
    if codec["role"] in ("new", "proposed") and not codec["optional"] and codec["spec"] not in covered:
        print(f"failed: {codec['format']}/{codec['codec']}: {codec['spec']} has no dump")
        covered.add(codec["spec"])
        failed += 1
print(f"{passed} passed, {failed} failed: dumps of the specifications")
sys.exit(failed > 0)
PYTHON
