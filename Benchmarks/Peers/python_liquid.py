# SPDX-License-Identifier: MIT
"""Times the workloads of a file in python-liquid, and prints what `liquid-server bench` prints."""

import hashlib
import json
import sys
import time

from liquid import Environment


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
    environment = Environment()
    sources, profiles = workload["templates"], workload["data"]
    if workload.get("parse"):
        result = {"phase": "parse", "sha": ""}
        result["ns"] = median(len(sources), lambda: [environment.from_string(source) for source in sources])
    else:
        templates = [environment.from_string(source) for source in sources]
        outputs = [template.render(**profile) for profile in profiles for template in templates]
        result = {"phase": "render", "sha": hashlib.sha256("".join(outputs).encode()).hexdigest()[:12]}
        result["ns"] = median(
            len(outputs), lambda: [template.render(**profile) for profile in profiles for template in templates]
        )
    print(json.dumps({"case": workload["id"], **result}))
