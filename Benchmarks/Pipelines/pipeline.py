# SPDX-License-Identifier: MIT
"""Runs every pipeline of Benchmarks/pipeline, and prints the table.

Wall time is what counts on a machine that does nothing else; `user` tells where others compute at the same time.
"""
import os
import subprocess
import sys
import time

folder, profiles, peers, trigger, simdjson = sys.argv[1:]
profiles, peers = int(profiles), int(peers)
COMMAND = [
    ".build/release/payloadgen", "render", "templates/lab-progress.campaign.yml", "--trigger-properties", trigger,
    "--now", "2026-11-20T09:00:00Z",
]
SPIN = [sys.executable, "-c", "sum(range(60000000))"]
ROUNDS = 8


def run(arguments, output=os.devnull):
    """Wall seconds, user seconds and MiB of a process; nothing where it fails."""
    start = time.monotonic()
    with open(output, "wb") as file:
        child = subprocess.Popen(arguments, stdout=file, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        return None
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def file(count):
    return f"{folder}/{count}.ndjson"


def row(name, count, result):
    wall, user, memory = result
    print(f"{name:38}{count / wall:12,.0f}{count / user:16,.0f}{memory:9.0f}", flush=True)


def render(count, jobs, output=os.devnull):
    result = run(COMMAND + ["--profiles", file(count), "--jobs", str(jobs)], output)
    if not result:
        sys.exit("error: payloadgen failed")
    return result


def spin(count):
    """Wall seconds of independent processes that compute beside each other."""
    start = time.monotonic()
    children = [subprocess.Popen(SPIN) for _ in range(count)]
    for child in children:
        child.wait()
    return time.monotonic() - start


def fastest(count):
    """Wall seconds of one job, two jobs, one process and two: they run in turn, and the fastest run of each counts.

    What else the machine does slows runs down, and seldom all of them.
    """
    rounds = [(render(count, 1)[0], render(count, 2)[0], spin(1), spin(2)) for _ in range(ROUNDS)]
    return [min(seconds) for seconds in zip(*rounds)]


print(f"{'':38}{'users/s':>12}{'users/CPU s':>16}{'MiB':>9}")
one, two = render(profiles, 1), render(profiles, 2)
row("payloadgen --jobs 1", profiles, one)
row("payloadgen --jobs 2", profiles, two)
for count in (peers, profiles // 10):
    row(f"payloadgen --jobs 2, {count:,} users", count, render(count, 2))

commands = {
    "Python: orjson, python-liquid": [
        os.environ.get("PYTHON", sys.executable), "-B", "Benchmarks/Pipelines/python_pipeline.py",
    ],
    "Ruby: json, liquid-c": ["ruby", "Benchmarks/Pipelines/ruby_pipeline.rb"],
    "Node: JSON.parse, no Liquid (bound)": ["node", "Benchmarks/Pipelines/node_pipeline.js"],
}
render(peers, 2, f"{folder}/own")
ours = two[0] / profiles
for name, command in commands.items():
    try:
        result = run(command + [file(peers), trigger, f"{folder}/texts.json"], f"{folder}/peer")
    except FileNotFoundError:
        result = None
    if not result:
        print(f"{name:38}  skipped: not installed, or a library is missing")
        continue
    row(name, peers, result)
    sent = [open(f"{folder}/{who}", "rb").read().count(b'"status":"rendered"') for who in ("own", "peer")]
    same = "" if sent[0] == sent[1] else f"; DIFFERS: {sent[1]} messages, not {sent[0]}"
    print(f"{'':38}--jobs 2 is {result[0] / peers / ours:.1f} times as fast, "
          f"{result[1] / peers / (one[1] / profiles):.1f} times by CPU time of one job{same}")

short = profiles // 10
one_job, two_jobs, one_process, two_processes = fastest(short)
gain, limit = one_job / two_jobs, 2 * one_process / two_processes
print(f"\n{short:,} users, fastest of {ROUNDS} runs in turn: {short / one_job:,.0f} users/s with one job, "
      f"{short / two_jobs:,.0f} with two")
print(f"two jobs gain {gain:.2f}, two independent processes {limit:.2f}: {gain / limit:.0%} of it")
if simdjson:
    output = subprocess.run([simdjson, file(short)], capture_output=True, text=True, check=True).stdout.split()
    parse = float(output[1]) / int(output[0])
    print(f"simdjson DOM, one thread, file in memory: {1 / parse:,.0f} documents/CPU s; payloadgen --jobs 1 reaches "
          f"{parse / (one_job / short):.0%} of it, --jobs 2 {parse / (two_jobs / short):.0%}")
else:
    print("simdjson skipped: libsimdjson-dev is not installed")
