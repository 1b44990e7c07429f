"""Compares sections of the embedded documents with checksums that other programs made.

    python3 codecs/unwind/test_checksums.py

checksums.tsv has the first 16 digits of the SHA-256 of the first parts of a payload: .eh_frame without its header,
SFrame whole, ORC without its lookup, rows whole. They are of prototypes that share no code with bakeoff. Needs
build/bakeoff (BAKEOFF overrides it).
"""

import csv
import hashlib
import lzma
import os
import struct
import subprocess
import sys
import tempfile

BAKEOFF = os.environ.get("BAKEOFF", "build/bakeoff")
HERE = os.path.dirname(os.path.abspath(__file__))


def digest(document, codec, n_parts, folder):
    with lzma.open(f"{HERE}/../../corpora/unwind/{document}.txt.xz") as file, open(f"{folder}/text", "wb") as text:
        text.write(file.read())
    subprocess.run([BAKEOFF, "encode", f"unwind/{codec}", f"{folder}/text", "--raw", "-o", f"{folder}/raw"], check=True,
                   stderr=subprocess.DEVNULL)
    with open(f"{folder}/raw", "rb") as file:
        raw = file.read()
    n = struct.unpack_from("<H", raw, 2)[0]
    begin = 16 + 8 * n
    return hashlib.sha256(raw[begin:begin + sum(struct.unpack_from(f"<{n_parts}Q", raw, 16))]).hexdigest()[:16]


def main():
    with open(f"{HERE}/checksums.tsv", encoding="ascii") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            found = digest(row["document"], row["codec"], int(row["parts"]), folder)
            if found != row["sha256"]:
                differing += 1
                print(f"{row['codec']} of {row['document']}: {found}, not {row['sha256']}")
    print(f"{len(rows) - differing} passed, {differing} failed: checksums of other programs")
    sys.exit(differing != 0 or not rows)


if __name__ == "__main__":
    main()
