# SPDX-License-Identifier: MIT
"""Holds the Ray job to one payloadgen process, with a child and a worker of Ray killed in the middle.

    check_ray.py PAYLOADGEN PROFILES FOLDER

PROFILES is cut into files, one of them a .gz. The exit code is 1 where records or reports differ, or where what should
have been killed was not.
"""
import contextlib
import gzip
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
FILES = 4
ODD_LINES = b'{"external_id": broken\n \r\n{"external_id":"crlf-1","first_name":"Ana"}\r\n'
CAMPAIGN = [
    "templates/lab-progress.campaign.yml", "--trigger-properties", "examples/trigger/lab-progress.json",
    "--now", "2026-11-20T09:00:00Z",
]


def page_of(path: pathlib.Path) -> str:
    """A page without the names of what it was rendered from."""
    return re.sub(r"<p><code>.*? rendered for .*?</p>", "", path.read_text(), count=1, flags=re.DOTALL)


def write_users(profiles: str, folder: pathlib.Path) -> pathlib.Path:
    users = folder / "users"
    shutil.rmtree(users, ignore_errors=True)
    users.mkdir()
    lines = pathlib.Path(profiles).read_bytes().splitlines(keepends=True)
    for index in range(FILES):
        part = b"".join(lines[index * len(lines) // FILES:(index + 1) * len(lines) // FILES])
        if index == FILES - 1:
            (users / f"{index}.ndjson.gz").write_bytes(gzip.compress(part + ODD_LINES))
        else:
            (users / f"{index}.ndjson").write_bytes(part)
    return users


def meet(mark: str, bytes_of_part: int) -> tuple[int, int] | None:
    """A payloadgen of a job that is in the middle of its part, and the process that it works for."""
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
            written = int((entry / "io").read_text().split("\n")[1].split()[1])
            if name == "payloadgen" and b"--output" in (entry / "cmdline").read_bytes():
                if bytes_of_part // 8 < written < bytes_of_part * 3 // 4 and mark in environment(entry):
                    return int(entry.name), int(rest.split()[1])
    return None


def environment(entry: pathlib.Path) -> str:
    return (entry / "environ").read_bytes().replace(b"\0", b"\n").decode(errors="replace")


def run(victim: str | None, payloadgen: str, users: pathlib.Path, folder: pathlib.Path, size: int) -> tuple[int, int]:
    """The exit code of the job, and how many processes were killed."""
    shutil.rmtree(folder / "records", ignore_errors=True)
    mark = f"PAYLOADGEN_CHECK={os.getpid()}-{victim}"
    with open(folder / f"{victim}.log", "wb") as log:
        job = subprocess.Popen(
            [sys.executable, "-B", HERE / "ray_job.py", users, folder / "records", "--", payloadgen, "render", *CAMPAIGN],
            stdout=log, stderr=log, env=os.environ | dict([mark.split("=")]),
        )
        kills = 0
        while job.poll() is None:
            if victim and not kills and (found := meet(mark, size // FILES)):
                os.kill(found[0 if victim == "payloadgen" else 1], signal.SIGKILL)
                kills += 1
            time.sleep(0.005)
    return job.returncode, kills


def main(payloadgen: str, profiles: str, folder: pathlib.Path) -> int:
    folder = folder.resolve()
    payloadgen = str(pathlib.Path(payloadgen).resolve())
    users = write_users(profiles, folder)
    single, page, coverage = folder / "single.ndjson", folder / "single.html", folder / "single.json"
    whole = subprocess.run(
        [payloadgen, "render", *CAMPAIGN, "--profiles", users, "--output", single, "--report", page, "--summary", "json",
         f"--coverage=json={coverage}"],
        stderr=subprocess.PIPE, text=True,
    )
    expected = single.read_bytes()
    faults = 0
    for victim in (None, "payloadgen", "worker"):
        start = time.monotonic()
        code, kills = run(victim, payloadgen, users, folder, len(expected))
        output = folder / "records"
        found = b"".join(path.read_bytes() for path in sorted(output.glob("*.ndjson")))
        records = found == expected
        reports = (
            (output / "_summary.json").read_text().rstrip("\n") == whole.stderr.splitlines()[-1]
            and page_of(output / "_report.html") == page_of(page)
            and (output / "_coverage.json").read_bytes() == coverage.read_bytes()
        ) if code == 0 else False
        faults += not (records and reports and bool(kills) == bool(victim))
        print(f"{victim or 'nothing'} killed: code {code}, {kills} kills, records {'the same' if records else 'others'}, "
              f"reports {'the same' if reports else 'others'}, {time.monotonic() - start:.1f} s", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])))
