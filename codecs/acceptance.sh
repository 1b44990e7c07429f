#!/usr/bin/env bash
# Which implementation accepts and rejects which conformance vectors: the codecs here, the second readers, and programs
# of the field where they are installed. Writes results/acceptance.tsv, which `bakeoff report` shows.
#
#   codecs/acceptance.sh [FILE]
#
# Needs build/bakeoff (BAKEOFF overrides it), python3 and xz.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in python3 xz; do command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }; done
PYTHONDONTWRITEBYTECODE=1 python3 - "${BAKEOFF:-build/bakeoff}" "${1:-results/acceptance.tsv}" <<'END'
import json, lzma, pathlib, shutil, subprocess, sys, tempfile

bakeoff, output = sys.argv[1:]


def ran(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace")


def codec(name, file, folder, vectors):
    """The lines of `verify` that fail name what the vectors say; the last one counts."""
    done = ran(bakeoff, "verify", name.split("/")[0], "--vectors", str(file))
    failed = [line for line in done.stdout.splitlines() if line.startswith("failed")]
    return [("invalid" if "reject" in line or "invalid" in line else "valid", line) for line in failed]


def second_reader(name, file, folder, vectors):
    format, encoding = name.split("/")
    arguments = []
    for i, v in enumerate(vectors["valid"]):
        (folder / f"{i}.txt").write_bytes(bytes.fromhex(v["model_hex"]) if "model_hex" in v else v["model"].encode())
        arguments += [encoding, f"{folder}/{i}.bin", f"{folder}/{i}.txt"]
    for i in range(len(vectors["invalid"])):
        arguments += [encoding, f"{folder}/invalid-{i}.bin", "-"]
    done = ran("python3", f"codecs/{format}/second_reader.py", *arguments)
    if done.returncode not in (0, 1) or done.stderr:
        sys.exit(f"{name}: {done.stderr}")
    return [("invalid" if "/invalid-" in line else "valid", line) for line in done.stdout.splitlines()]


def llvm_profdata(name, file, folder, vectors):
    wrong = []
    for i in range(len(vectors["valid"])):
        if ran("llvm-profdata", "show", "--sample", f"{folder}/{i}.bin").returncode:
            wrong.append(("valid", f"vector {i}"))
    for i, v in enumerate(vectors["invalid"]):
        if not ran("llvm-profdata", "show", "--sample", f"{folder}/invalid-{i}.bin").returncode:
            wrong.append(("invalid", v["rule"]))
    return wrong


second = {
    f"{reader.parent.name}/{encoding}"
    for reader in pathlib.Path("codecs").glob("*/second_reader.py")
    for encoding in ran("python3", str(reader), "--list").stdout.split()
}
llvm = ""
if shutil.which("llvm-profdata"):
    lines = ran("llvm-profdata", "show", "--version").stdout.splitlines()
    llvm = "llvm-profdata " + next((l.split("version")[1].split()[0] for l in lines if "version" in l), "")

rows = []
for file in sorted(pathlib.Path("corpora/vectors").glob("*.json.xz")):
    vectors = json.load(lzma.open(file))
    name = f"{vectors['format']}/{vectors['codec']}"
    implementations = [("C codec", codec)]
    if name in second:
        implementations.append(("second reader", second_reader))
    if llvm and name == "autofdo/extbinary":
        implementations.append((llvm, llvm_profdata))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for kind, prefix in ("valid", ""), ("invalid", "invalid-"):
            for i, v in enumerate(vectors[kind]):
                (folder / f"{prefix}{i}.bin").write_bytes(bytes.fromhex(v["bytes"]))
        for title, accepts in implementations:
            wrong = accepts(name, file, folder, vectors)
            valid, invalid = len(vectors["valid"]), len(vectors["invalid"])
            rows.append((vectors["format"], vectors["codec"], title, valid,
                         valid - sum(kind == "valid" for kind, _ in wrong), invalid,
                         invalid - sum(kind == "invalid" for kind, _ in wrong),
                         "; ".join(sorted({what for _, what in wrong})).replace("\t", " ") or "-"))

with open(output, "w") as out:
    print("# Made by codecs/acceptance.sh from the vectors in corpora/vectors.", file=out)
    print("#format\tcodec\timplementation\tvalid\taccepted\tinvalid\trejected\tdisagreements", file=out)
    for row in rows:
        print(*row, sep="\t", file=out)
wrong = sum(row[3] - row[4] + row[5] - row[6] for row in rows if not row[2].startswith("llvm"))
print(f"{len(rows) - wrong} passed, {wrong} failed: implementations of encodings")
sys.exit(wrong > 0)
END
