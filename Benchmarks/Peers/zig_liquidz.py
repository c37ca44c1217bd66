# SPDX-License-Identifier: MIT
"""Times the workloads of a file in liquidz, and prints what `liquid-server bench` prints.

Its only function parses a template, reads the data from JSON and renders, so each of its times includes all three.
"""

import ctypes
import hashlib
import json
import sys
import time

from liquidz import core

LIBRARY = core._get_library()


def render(template, data):
    output, length = ctypes.c_char_p(), ctypes.c_size_t()
    status = LIBRARY.liquidz_render_json(
        template, len(template), data, len(data), ctypes.byref(output), ctypes.byref(length)
    )
    if status:
        return b""
    text = ctypes.string_at(output, length.value)
    LIBRARY.liquidz_free(output, length)
    return text


def median(operations, run):
    """Nanoseconds an operation takes: the median of five samples of at least a quarter of a second."""
    samples = []
    for _ in range(5):
        passes = 0
        start = time.perf_counter()
        while (elapsed := time.perf_counter() - start) < 0.25:
            run()
            passes += 1
        samples.append(elapsed / passes / operations * 1e9)
    return sorted(samples)[2]


for workload in json.load(open(sys.argv[1], encoding="utf-8")):
    templates = [source.encode() for source in workload["templates"]]
    profiles = [json.dumps(profile, ensure_ascii=False).encode() for profile in workload["data"]]
    pairs = [(template, profile) for profile in profiles for template in templates]
    if workload.get("parse"):
        result = {"phase": "parse", "sha": ""}
    else:
        outputs = b"".join(render(template, profile) for template, profile in pairs)
        result = {"phase": "render", "sha": hashlib.sha256(outputs).hexdigest()[:12]}
    result["ns"] = median(len(pairs), lambda: [render(template, profile) for template, profile in pairs])
    print(json.dumps({"case": workload["id"], **result}))
