"""Packs the command into the archives of a release, with the same bytes for the same files.

usage: archives.py tree TREE FILE.tar.gz
       archives.py wheel TREE FOLDER VERSION TAG
       archives.py bundle TREE FILE.zip VERSION TRIPLE
       archives.py bundles FILE.zip BUNDLE.zip...

`bundles` makes one artifact bundle of those for several systems.

TREE is a folder with the command and what goes with it. Dates are those of SOURCE_DATE_EPOCH, in seconds since 1970.
"""

import base64
import gzip
import hashlib
import json
import os
import pathlib
import sys
import tarfile
import time
import zipfile

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
HERE = pathlib.Path(__file__).resolve().parent


def pack_tree(tree: str, file: str) -> None:
    """Packs a folder, under its own name, as tar with gzip."""
    root = pathlib.Path(tree)

    def normal(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        member.mtime = EPOCH
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    with open(file, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=EPOCH) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path in [root, *sorted(root.rglob("*"))]:
                archive.add(path, str(path.relative_to(root.parent)), recursive=False, filter=normal)


class Zip:
    """A ZIP archive whose members have one date."""

    def __init__(self, file: pathlib.Path):
        self.archive = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9)

    def add(self, name: str, content: bytes, executable: bool = False) -> None:
        info = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o100755 if executable else 0o100644) << 16
        info.create_system = 3
        self.archive.writestr(info, content)

    def close(self) -> None:
        self.archive.close()


def pack_wheel(tree: str, folder: str, version: str, tag: str) -> None:
    """Packs a wheel whose one script is the command; https://packaging.python.org/specifications/binary-distribution-format/."""
    root = pathlib.Path(tree)
    info = f"payloadgen-{version}.dist-info"
    metadata = (HERE / "wheel" / "METADATA.in").read_text().replace("@VERSION@", version)
    members = [
        (f"payloadgen-{version}.data/scripts/payloadgen", (root / "payloadgen").read_bytes(), True),
        (f"{info}/METADATA", (metadata + "\n" + (HERE / "wheel" / "README.md").read_text()).encode(), False),
        (f"{info}/WHEEL", wheel_file(tag).encode(), False),
        (f"{info}/licenses/LICENSE", (root / "LICENSE").read_bytes(), False),
        (f"{info}/licenses/THIRD-PARTY-LICENSES", (root / "THIRD-PARTY-LICENSES").read_bytes(), False),
    ]
    record = ""
    archive = Zip(pathlib.Path(folder) / f"payloadgen-{version}-{tag}.whl")
    for name, content, executable in members:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
        archive.add(name, content, executable)
    archive.add(f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode())
    archive.close()


def wheel_file(tag: str) -> str:
    return f"Wheel-Version: 1.0\nGenerator: payloadgen\nRoot-Is-Purelib: false\nTag: {tag}\n"


def pack_bundle(tree: str, file: str, version: str, triple: str) -> None:
    """Packs an artifact bundle, which a `binaryTarget` of SwiftPM names (SE-0305)."""
    root = pathlib.Path(tree)
    triples = [triple, "x86_64-apple-macosx"] if triple.endswith("apple-macosx") else [triple]
    path = f"payloadgen-{version}/bin/payloadgen"
    index = {
        "schemaVersion": "1.0",
        "artifacts": {
            "payloadgen": {
                "type": "executable",
                "version": version,
                "variants": [{"path": path, "supportedTriples": triples}],
            }
        },
    }
    archive = Zip(pathlib.Path(file))
    archive.add("payloadgen.artifactbundle/info.json", (json.dumps(index, indent=2) + "\n").encode())
    archive.add(f"payloadgen.artifactbundle/{path}", (root / "payloadgen").read_bytes(), True)
    archive.add("payloadgen.artifactbundle/LICENSE", (root / "LICENSE").read_bytes())
    archive.close()


def merge_bundles(file: str, *bundles: str) -> None:
    """Makes one artifact bundle of those for several systems: each keeps its command, in a folder of its own."""
    merged: dict = {}
    archive = Zip(pathlib.Path(file))
    for number, bundle in enumerate(sorted(bundles)):
        with zipfile.ZipFile(bundle) as source:
            root = "payloadgen.artifactbundle/"
            index = json.loads(source.read(root + "info.json"))
            artifact = index["artifacts"]["payloadgen"]
            for variant in artifact["variants"]:
                path = f"{number}/payloadgen"
                archive.add(root + path, source.read(root + variant["path"]), True)
                variant["path"] = path
            if not merged:
                merged = index
                archive.add(root + "LICENSE", source.read(root + "LICENSE"))
            else:
                merged["artifacts"]["payloadgen"]["variants"] += artifact["variants"]
    archive.add("payloadgen.artifactbundle/info.json", (json.dumps(merged, indent=2) + "\n").encode())
    archive.close()


if __name__ == "__main__":
    commands = {"tree": pack_tree, "wheel": pack_wheel, "bundle": pack_bundle, "bundles": merge_bundles}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
