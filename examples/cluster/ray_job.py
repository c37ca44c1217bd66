# SPDX-License-Identifier: MIT
"""Renders the files of an export in Ray, one task each, with one report on all of them.

    ray_job.py [--max-failed 1%] INPUT OUTPUT -- payloadgen render CAMPAIGN --now TIME [OPTION...]

INPUT is a folder of files, .gz and .zip included; OUTPUT is a folder. Both, the command and the campaign are at the same
path on every node.
"""
import argparse
import pathlib
import subprocess
import sys

import ray

import records


@ray.remote(num_cpus=1, max_retries=3, retry_exceptions=True)
def render(command: list[str], identity: tuple[str, ...], export: str, output: str) -> bytes:
    """Renders a file and returns its counts; a task that runs again writes the same bytes under the same names."""
    records.check_worker(tuple(command), ".", identity)
    counts = pathlib.Path(f"{output}.counts")
    # --output gives a file its name when it is whole; a batch of one file has no `file` in its records by itself.
    whole = [
        *command, "--assume-filename", export, "--output", output, "--counts", str(counts),
    ]
    with open(export, "rb") as users:
        run = subprocess.run(whole, stdin=users, stderr=subprocess.PIPE, check=False)
    if run.returncode not in records.GOOD_CODES:
        raise RuntimeError(records.failure(whole, run.returncode, run.stderr.decode(errors="replace")))
    return counts.read_bytes().rstrip(b"\n")


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--max-failed", type=records.Budget.parse, default=records.Budget.parse("1%"))
    parser.add_argument("input", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    command = records.batch_command(arguments.command)
    arguments.output.mkdir(parents=True, exist_ok=True)
    ray.init(runtime_env={"py_modules": [records.__file__]}, log_to_driver=False)
    try:
        identity = records.identity(records.empty_part(command, "."))
        exports = sorted(path for path in arguments.input.iterdir() if not path.name.startswith("."))
        tasks = [
            render.remote(command, identity, str(export), str(arguments.output / f"{export.name}.records.ndjson"))
            for export in exports
        ]
        summary = records.merged(command, ".", ray.get(tasks))
    except (RuntimeError, ray.exceptions.RayError) as error:
        raise SystemExit(f"error: {error}") from error
    finally:
        ray.shutdown()
    for name, data in summary.files().items():
        arguments.output.joinpath(name).write_bytes(data)
    print(summary.text, file=sys.stderr, flush=True)
    if excess := arguments.max_failed.excess(summary.numbers):
        raise SystemExit(f"error: {excess}")


if __name__ == "__main__":
    main()
