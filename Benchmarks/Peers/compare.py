# SPDX-License-Identifier: MIT
"""Times the same templates in this engine and in others that are installed, in one run.

    compare.py SERVER [COMMAND...]

SERVER is liquid-server. osteele/liquid and liquid-rust are built where Go and Cargo are installed and can fetch them,
python-liquid and liquidz come from PyPI into an environment of their own, liquidjs from npm, ruby-liquid with
ruby-liquid-c is the system's (Debian: apt-get install ruby-liquid ruby-liquid-c). Any other engine takes part through a
COMMAND that reads the same workloads and prints the same lines as `liquid-server bench FILE`. What is missing is named
and skipped.
"""

import json
import pathlib
import random
import shlex
import shutil
import struct
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).parent
BUILD = HERE.parent / ".build"
PROFILES = 20000

TEMPLATES = [
    "Hi {{ first_name | default: 'there' }}, welcome back to {{ app.name }}!",
    "{% if custom.completed > 0 %}You finished {{ custom.completed }} of {{ custom.total }} sessions"
    "{% else %}Start your first session{% endif %}",
    "{{ first_name | capitalize }} {{ last_name | upcase }}: {{ custom.points | plus: 10 | times: 2 }} points",
    "Your next session {{ trigger.name | downcase | append: '!' }} is on {{ trigger.date | date: '%b %d, %Y' }}",
    "{% for item in items limit: 3 %}{{ forloop.index }}. {{ item.title }} ({{ item.price | round: 2 }})"
    "{% unless forloop.last %}, {% endunless %}{% endfor %}",
    "{% assign name = first_name | strip | split: ' ' | first %}{% case language %}{% when 'de' %}Hallo {{ name }}"
    "{% when 'ja' %}こんにちは {{ name }}{% else %}Hello {{ name }}{% endcase %}",
    "{{ message | escape | truncate: 40 }} {{ tags | join: ', ' }} {{ tags.size }}",
    "{% capture link %}myapp://lab/{{ user_id }}?c={{ trigger.name | url_encode }}{% endcapture %}{{ link }}",
]
LOOP = (
    "{% for i in (1..100000) %}{{ i | plus: 1 | times: 2 | append: 'x' | upcase }}{% endfor %}"
)
DENSE = (
    "{% if a.b == 'x' and c > 3 %}Hello {{ user.name | upcase | default: 'you' }}{% else %}{{ x[0].y }}{% endif %}"
    "{% for i in items limit:3 %}{{ i.title | escape }} {% endfor %}{% assign z = a | append: 'q' %}\n"
)


def profile(number, choice):
    return {
        "first_name": choice.choice(["Ana", "  Yuki", "Min Jun", "José", "", "Eve"]),
        "last_name": f"Smith{number}",
        "language": choice.choice(["en", "de", "ja"]),
        "user_id": f"u{number}",
        "app": {"name": "BookDemo"},
        "custom": {"completed": choice.randint(0, 9), "total": 12, "points": choice.randint(0, 1000)},
        "trigger": {"name": f"Segments & {number % 7}", "date": f"2026-11-{1 + number % 28:02} 09:00:00 UTC"},
        "items": [{"title": f"Item {place}", "price": place * 1.239} for place in range(4)],
        "message": "Tom & Jerry <b>are</b> very happy to see you again here",
        "tags": ["a", "b", "c"],
    }


def workloads():
    choice = random.Random(5)
    profiles = [profile(number, choice) for number in range(PROFILES)]
    undated = [template for template in TEMPLATES if "| date:" not in template]
    dense = DENSE * (1048576 // len(DENSE))
    return [
        {"id": "push", "templates": TEMPLATES, "data": profiles},
        {"id": "push without dates", "templates": undated, "data": profiles},
        {"id": "loop of 100,000", "templates": [LOOP], "data": [{}]},
        {"id": "1 MiB of tags", "templates": [dense], "data": [{}], "parse": True, "render": False},
    ]


def runs(*command, **options):
    """Whether a command is there and ends well."""
    return bool(shutil.which(command[0])) and subprocess.run(command, capture_output=True, **options).returncode == 0


def python(package, works):
    """The interpreter of an environment that holds a package from PyPI; None where `works` fails in it."""
    home = BUILD / "peers"
    interpreter = str(home / "bin" / "python")
    if not runs(interpreter, "-c", works):
        if not home.exists():
            venv.create(home, with_pip=True)
        runs(interpreter, "-m", "pip", "install", "--quiet", package)
    return interpreter if runs(interpreter, "-c", works) else None


def python_liquid():
    interpreter = python("python-liquid", "import liquid")
    return interpreter and [interpreter, str(HERE / "python_liquid.py")]


def liquidz():
    """The Zig engine, through its library."""
    works = "from liquidz import core; core._get_library()"
    interpreter = python("liquidz", works)
    if interpreter is None:
        for library in BUILD.glob("peers/lib/*/site-packages/liquidz/lib/*.so"):
            library.write_bytes(with_older_fmod(library.read_bytes()))
        interpreter = python("liquidz", works)
    return interpreter and [interpreter, str(HERE / "zig_liquidz.py")]


def with_older_fmod(library):
    """The bytes of liquidz's library, loadable with a glibc from before 2.38.

    It needs only `fmod` in the version of 2.38, which differs from that of 2.2.5 in how it reports errors. The entry of
    the version in `.gnu.version_r` is the hash of its name, two numbers, and the place of the name in `.dynstr`.
    """
    older, newer = (struct.pack("<I", elf_hash(name)) for name in (b"GLIBC_2.2.5", b"GLIBC_2.38"))
    names = library.find(b"\0GLIBC_2.2.5\0") - library.find(b"\0GLIBC_2.38\0")
    entries = [place for place in range(0, len(library) - 16, 4) if library[place : place + 4] == newer]
    changed = bytearray(library)
    for place in entries:
        (name,) = struct.unpack_from("<I", library, place + 8)
        changed[place : place + 4] = older
        struct.pack_into("<I", changed, place + 8, name + names)
    return bytes(changed)


def elf_hash(name):
    """The hash of a version's name, as the System V ABI defines it."""
    value = 0
    for byte in name:
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return value


def liquidjs():
    """The engine for Node; NODE_PATH may name a folder that holds it."""
    script = ["node", str(HERE / "node_liquidjs.js")]
    if runs("node", "-e", "require('liquidjs')"):
        return script
    home = BUILD / "node"
    modules = str(home / "node_modules")
    installed = (home / "node_modules" / "liquidjs").exists()
    if installed or runs("npm", "install", "--silent", "--prefix", str(home), "liquidjs"):
        return ["env", f"NODE_PATH={modules}", *script]
    return None


def ruby_liquid():
    """ruby-liquid with its extension in C; None where either is not installed."""
    return ["ruby", str(HERE / "ruby_liquid.rb")] if runs("ruby", "-e", "require 'liquid/c'") else None


def osteele_liquid():
    """The Go engine; None where it cannot be built."""
    program = str(BUILD / "osteele-liquid")
    built = runs("go", "build", "-mod=mod", "-o", program, ".", cwd=HERE / "osteele-liquid")
    return [program] if built else None


def liquid_rust():
    """The Rust engine; None where it cannot be built."""
    target = BUILD / "liquid-rust"
    built = runs("cargo", "build", "--release", "--target-dir", str(target), cwd=HERE / "liquid-rust")
    return [str(target / "release" / "liquid-rust")] if built else None


def peers(commands):
    """The name, the command and, where there is no command, what is missing of each engine."""
    yield "osteele/liquid", osteele_liquid(), "go is not installed or cannot fetch it"
    yield "liquid-rust", liquid_rust(), "cargo is not installed or cannot fetch it"
    yield "liquidz", liquidz(), "the library from PyPI cannot be loaded"
    yield "liquidjs", liquidjs(), "node is not installed, or npm cannot fetch it"
    yield "python-liquid", python_liquid(), "it cannot be had from PyPI"
    yield "ruby-liquid-c", ruby_liquid(), "ruby with liquid and liquid/c is not installed"
    for command in commands:
        parts = shlex.split(command)
        yield pathlib.Path(parts[0]).name, parts if shutil.which(parts[0]) else None, f"'{parts[0]}' is not there"


def measure(command, file):
    lines = subprocess.run([*command, str(file)], stdout=subprocess.PIPE, text=True, check=True).stdout
    results = [json.loads(line) for line in lines.splitlines()]
    return {result["case"]: result for result in results}


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: compare.py SERVER [COMMAND...]")
    BUILD.mkdir(exist_ok=True)
    file = BUILD / "peers.json"
    file.write_text(json.dumps(workloads()), encoding="utf-8")
    ours = measure([sys.argv[1], "bench"], file)
    print(f"{'ns per template':20}{'engine':16}{'ns':>14}{'ratio':>9}")
    for case, result in ours.items():
        print(f"{case:20}{'payloadgen':16}{result['ns']:14.0f}{1:9.1f}")
    for name, command, missing in peers(sys.argv[2:]):
        if command is None:
            print(f"{'':20}{name:16} skipped: {missing}")
            continue
        for case, result in measure(command, file).items():
            note = "" if result["sha"] == ours[case]["sha"] else "  prints something else"
            print(f"{case:20}{name:16}{result['ns']:14.0f}{result['ns'] / ours[case]['ns']:9.1f}{note}")


main()
