# SPDX-License-Identifier: MIT
"""Measures how the cost grows with size, and draws it.

    growth.py SERVER COMMAND PICTURE

SERVER is liquid-server, COMMAND payloadgen, PICTURE the SVG that is written. Each series is measured at several sizes, and
the exponent of its growth is that of the line through the points on logarithmic scales: 1 is linear. What costs the same at
every size, such as the start of a process, makes it smaller. Sorting n elements takes n log n comparisons at best, so its
exponent is that by n log n. It fails where an exponent is above 1.15. Other programs that run meanwhile can bend a series,
so one that bends is measured again, and the fastest of each size counts.
"""

import html
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

EXPONENT_AT_MOST = 1.15
ROUNDS_AT_MOST = 3
PROFILE = {"external_id": "u1", "first_name": "Ana", "language": "en", "custom_attributes": {"points": 12}}
TEXT = "Hi {{ first_name | default: 'there' | capitalize }}, {% if points > 3 %}{{ points | plus: 1 }}{% else %}0{% endif %}. "
DATA = {"first_name": "ana", "points": 12, "items": list(range(100))}


def nested(depth):
    return "{% if points > 3 %}a" * depth + "{% endif %}" * depth


def workload(name, size):
    """A template of a size, as `liquid-server bench` reads it."""
    made = {
        "template, parsed": {"templates": [TEXT * size], "parse": True, "render": False},
        "template, rendered": {"templates": [TEXT * size]},
        "loop over a range": {"templates": ["{% for i in (1.." + str(size) + ") %}{{ i | times: 2 }}{% endfor %}"]},
        "loop over an array": {
            "templates": ["{% for item in items %}{{ item.name }}{% endfor %}"],
            "data": [{"items": [{"name": f"n{place}"} for place in range(size)]}],
        },
        "depth of blocks, parsed": {"templates": [nested(size)], "parse": True, "render": False},
        "depth of blocks, rendered": {"templates": [nested(size)]},
        "filters in a chain": {"templates": ["{{ first_name" + " | append: 'x' | slice: 0, 3" * size + " }}"]},
        "variables": {
            "templates": ["".join(f"{{% assign v{n} = {n} %}}" for n in range(size))
                          + "".join(f"{{{{ v{n} }}}}" for n in range(size))]
        },
        "partials": {
            "templates": ["".join(f"{{% render 'p{n}' %}}" for n in range(size))],
            "partials": {f"p{n}": f"{n}{{{{ {n} | plus: 1 }}}}" for n in range(size)},
        },
        "length of a text": {
            "templates": ["{{ text | upcase | escape | replace: 'A', 'bc' | split: ' ' | join: '-' | size }}"],
            "data": [{"text": "tom & jerry " * size}],
        },
        "array sorted": {
            "templates": ["{{ items | sort | uniq | reverse | join: ',' | size }}"],
            "data": [{"items": [(place * 7919) % 100_003 for place in range(size)]}],
        },
    }[name]
    return {"id": f"{name}/{size}", "data": [DATA], **made}


ENGINE = {
    "template, parsed": [256, 1024, 2048, 3072, 4096],
    "template, rendered": [256, 1024, 2048, 3072, 4096],
    "loop over a range": [1600, 6400, 12800, 19200, 25600],
    "loop over an array": [1600, 6400, 12800, 19200, 25600],
    "depth of blocks, parsed": [10, 20, 40, 60, 80],
    "depth of blocks, rendered": [10, 20, 40, 60, 80],
    "filters in a chain": [64, 256, 512, 768, 1024],
    "variables": [256, 1024, 2048, 3072, 4096],
    "partials": [64, 256, 512, 768, 1024],
    "length of a text": [256, 1024, 2048, 3072, 4096],
    "array sorted": [1600, 6400, 12800, 19200, 25600],
}


def campaign(fields):
    pairs = "".join(f'    key_{n}: "{{{{ ${{first_name}} | append: \'{n}\' }}}}"\n' for n in range(fields))
    return f"version: 1\npush:\n  title: Hi\n  extras:\n{pairs}"


def seconds(arguments, folder):
    """The fastest of three runs, as seconds of the processor."""
    best = math.inf
    for _ in range(3):
        with open(os.devnull, "wb") as nothing:
            child = subprocess.Popen(arguments, cwd=folder, stdout=nothing, stderr=subprocess.PIPE)
            errors = child.stderr.read()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"error: {' '.join(arguments)} ends with {child.returncode}: {errors.decode()[:500]}")
        best = min(best, usage.ru_utime + usage.ru_stime)
    return best


def templates(server, folder, names):
    """The series of `liquid-server bench`."""
    loads = [workload(name, size) for name in names for size in ENGINE[name]]
    (folder / "loads.json").write_text(json.dumps(loads))
    lines = subprocess.run([server, "bench", str(folder / "loads.json")], stdout=subprocess.PIPE, check=True).stdout
    measured = {line["case"]: line["ns"] * 1e-9 for line in map(json.loads, lines.splitlines())}
    return {name: [(size, measured[f"{name}/{size}"]) for size in ENGINE[name]] for name in names}


BATCHES = {
    "profiles in a batch": ([20_000, 40_000, 60_000, 80_000], lambda size: (5, size, 1)),
    "fields of a campaign": ([5, 10, 20, 40], lambda size: (size, 4_000, 1)),
    "jobs, the same work": ([1, 2, 4], lambda size: (5, 80_000, size)),
}


def batches(command, folder, names):
    """The series of `payloadgen render`: profiles, fields and jobs."""
    def render(fields, profiles, jobs):
        (folder / "c.campaign.yml").write_text(campaign(fields))
        (folder / "p.ndjson").write_text((json.dumps(PROFILE) + "\n") * profiles)
        return seconds([command, "render", "c.campaign.yml", "--profiles", "p.ndjson", "--jobs", str(jobs)], folder)

    return {name: [(size, render(*BATCHES[name][1](size))) for size in BATCHES[name][0]] for name in names}


def bent(series):
    """The names of the series that grow faster than their size."""
    return [name for name, points in series.items() if exponent(name, points) > EXPONENT_AT_MOST]


def measured(server, command, folder):
    """All series by their names; one that bends is measured again."""
    series = {}
    names = [*ENGINE, *BATCHES]
    for _ in range(ROUNDS_AT_MOST):
        found = templates(server, folder, [name for name in names if name in ENGINE])
        found |= batches(command, folder, [name for name in names if name in BATCHES])
        for name, points in found.items():
            earlier = series.get(name, points)
            series[name] = [(size, min(cost, other)) for (size, cost), (_, other) in zip(points, earlier)]
        names = bent(series)
        if not names:
            break
    return series


def steps(name, size):
    """The number of steps that the best algorithm takes for a size, but for a factor."""
    return size * math.log(size) if name == "array sorted" else size


def exponent(name, points):
    """The slope of the line through the points on logarithmic scales, from the second point on where there are four."""
    used = points[1:] if len(points) > 3 else points
    xs, ys = [math.log(steps(name, size)) for size, _ in used], [math.log(cost) for _, cost in used]
    middle, height = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - middle) * (y - height) for x, y in zip(xs, ys)) / sum((x - middle) ** 2 for x in xs)


def duration(seconds):
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 1e-9:.3g} ns"


def picture(series):
    """A panel for each series, with linear axes from nothing on: what grows evenly is a straight line."""
    width, height, columns = 250, 190, 4
    rows = -(-len(series) // columns)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * columns} {height * rows}" font-family="sans-serif">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for place, (name, points) in enumerate(series):
        left, top = place % columns * width + 20, place // columns * height + 40
        wide, high = width - 40, height - 75
        most, cost = points[-1][0], max(cost for _, cost in points)
        spots = [(left + size / most * wide, top + high - value / cost * high) for size, value in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        colour = "#b3261e" if exponent(name, points) > EXPONENT_AT_MOST else "#1a56b0"
        parts += [
            f'<text x="{left}" y="{top - 20}" font-size="13" font-weight="bold">{html.escape(name)}</text>',
            f'<text x="{left}" y="{top - 6}" font-size="11">{duration(cost)}, exponent {exponent(name, points):.2f}</text>',
            f'<path d="M{left} {top}V{top + high}H{left + wide}" fill="none" stroke="#888"/>',
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>',
            *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in spots),
            f'<text x="{left + wide}" y="{top + high + 14}" font-size="11" text-anchor="end">{most:,}</text>',
        ]
    return "\n".join(parts) + "\n</svg>\n"


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: growth.py SERVER COMMAND PICTURE")
    server, command, output = (str(pathlib.Path(path).absolute()) for path in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        series = measured(server, command, pathlib.Path(name))
    for name, points in series.items():
        print(f"{name:28}{exponent(name, points):6.2f}   " + ", ".join(f"{size:,}: {duration(cost)}" for size, cost in points))
    pathlib.Path(output).write_text(picture(list(series.items())))
    print(f"drawn in {sys.argv[3]}")
    if bent(series):
        sys.exit(f"error: grows faster than its size: {', '.join(bent(series))}")


main()
