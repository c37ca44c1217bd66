# SPDX-License-Identifier: MIT
"""Holds the Spark job to one payloadgen process, with and without processes that are killed in the middle.

    check.py PAYLOADGEN PROFILES FOLDER

Runs both forms of the job on local[2] over PROFILES with a broken line, a blank one and a CRLF behind them, compares
ids and records without `line`, and prints a table. FOLDER is for what is written. The exit code is 1 where anything
differs, or where what should have been killed was not.
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from typing import NamedTuple

import pyarrow.parquet

HERE = pathlib.Path(__file__).parent
SUBMIT = pathlib.Path(sys.executable).with_name("spark-submit")
ODD_LINES = b'{"external_id": broken\n \r\n{"external_id":"crlf-1","first_name":"Ana"}\r\n'
CAMPAIGN = [
    "templates/lab-progress.campaign.yml", "--trigger-properties", "examples/trigger/lab-progress.json",
    "--now", "2026-11-20T09:00:00Z",
]
# Four attempts a task: Spark's local mode gives it one by default. Parts of 64 MiB take a child long enough to be met.
SPARK = [
    "--master", "local[2,4]", "--conf", "spark.sql.files.maxPartitionBytes=64m", "--conf", "spark.ui.enabled=false",
    "--py-files", HERE / "records.py",
]
PART = 64 << 20
# Also that of an error: a part has lines of its own. Inside texts the quotes are escaped.
LINE = re.compile(rb'"line":\d+,')


class Process(NamedTuple):
    id: int
    parent: int
    session: int
    name: str


def processes(session: int) -> list[Process]:
    """The processes of a session, which those of a Spark job never leave."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = pathlib.Path("/proc", entry, "stat").read_text()
            except OSError:
                continue
            name, _, rest = text.partition("(")[2].rpartition(")")
            state, parent, _, of, *_ = rest.split()
            if int(of) == session and state != "Z":
                found.append(Process(int(entry), int(parent), session, name))
    return found


class Killer(threading.Thread):
    """Kills the first payloadgen of a session that is in the middle of its part: itself, or the task it works for."""

    def __init__(self, session: int, victim: str) -> None:
        super().__init__(daemon=True)
        self.session = session
        self.victim = victim
        self.told: str | None = None

    def run(self) -> None:
        while not self.told:
            for process in processes(self.session):
                if process.name == "payloadgen" and not self.told:
                    with contextlib.suppress(OSError):  # It may have ended meanwhile.
                        self.meet(process)
            time.sleep(0.005)

    def meet(self, child: Process) -> None:
        if not PART // 8 < self.transfer(child)[0] < PART // 2:
            return
        # Stopped, so that the numbers are those at its end.
        os.kill(child.id, signal.SIGSTOP)
        read, written = self.transfer(child)
        if self.victim == "child":
            os.kill(child.id, signal.SIGKILL)
        else:
            os.kill(self.task(child), signal.SIGKILL)
            os.kill(child.id, signal.SIGCONT)
        self.told = f"{self.victim} killed: payloadgen {child.id} had read {read:,} and written {written:,} bytes"

    def task(self, child: Process) -> int:
        """The Python worker that the child works for; in a pipe a shell is between them."""
        others = {process.id: process for process in processes(self.session)}
        parent = others[child.parent]
        return parent.parent if parent.name == "sh" else parent.id

    @staticmethod
    def transfer(child: Process) -> tuple[int, int]:
        lines = pathlib.Path("/proc", str(child.id), "io").read_text().split("\n")
        return int(lines[0].split()[1]), int(lines[1].split()[1])


class Result(NamedTuple):
    """What a run has written: ids, and records without `line`, each with how often it is there."""

    ids: Counter
    records: Counter
    seconds: float


def one_process(payloadgen: str, profiles: str, output: pathlib.Path) -> Result:
    start = time.monotonic()
    with open(output, "wb") as file:
        run = subprocess.run(
            [payloadgen, "render", *CAMPAIGN, "--profiles", profiles, "--format", "record", "--jobs", "2"],
            stdout=file, stderr=subprocess.PIPE, text=True,
        )
    if run.returncode != 2:  # One of the odd lines is broken.
        sys.exit(f"error: payloadgen ended with {run.returncode}\n{run.stderr}")
    seconds = time.monotonic() - start
    records = [LINE.sub(b"", record) for record in output.read_bytes().splitlines()]
    return Result(Counter(map(id_of, records)), Counter(records), seconds)


def id_of(record: bytes) -> bytes:
    return record.partition(b',"status":')[0]


def spark(form: str, victim: str | None, payloadgen: str, profiles: str, folder: pathlib.Path) -> tuple[Result, int]:
    """The result of a job, and how many tasks failed on the way; ends the program where the job itself failed."""
    output, log = folder / "parquet", folder / f"{form}-{victim}.log"
    shutil.rmtree(output, ignore_errors=True)
    start = time.monotonic()
    with open(log, "wb") as file:
        job = subprocess.Popen(
            [SUBMIT, *SPARK, HERE / "render_job.py", "--form", form, profiles, output, "--", payloadgen, "render",
             *CAMPAIGN],
            stdout=file, stderr=file, start_new_session=True, env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        )
        killer = Killer(job.pid, victim) if victim else None
        if killer:
            killer.start()
        try:
            code = job.wait()
        finally:
            job.terminate()  # A session of its own does not hear Ctrl-C.
    seconds = time.monotonic() - start
    text = log.read_text(errors="replace")
    left = [process for process in processes(job.pid) if process.name == "payloadgen"]
    if code or left or (killer and not killer.told):
        sys.exit(f"error: {form}: code {code}, killed: {killer and killer.told}, left running: {left}; see {log}")
    reasons = {"child": r"ended by signal 9|ended with 137", "task": "Python worker exited unexpectedly"}
    if killer:
        print(f"{form}: {killer.told}", flush=True)
        if not re.search(reasons[victim], text):
            sys.exit(f"error: {form}: Spark does not tell that anything was killed; see {log}")
    table = pyarrow.parquet.read_table(output, columns=["record"])
    records = [LINE.sub(b"", record.encode()) for record in table.column(0).to_pylist()]
    return Result(Counter(map(id_of, records)), Counter(records), seconds), len(re.findall(r"Lost task ", text))


def main(payloadgen: str, profiles: str, folder: pathlib.Path) -> int:
    whole = folder / "profiles.ndjson"
    shutil.copyfile(profiles, whole)
    with open(whole, "ab") as file:
        file.write(ODD_LINES)
    single = one_process(payloadgen, str(whole), folder / "single.ndjson")
    rows = []
    for form in ("pipe", "arrow"):
        for victim in (None, "child", "task"):
            found, failures = spark(form, victim, payloadgen, str(whole), folder)
            lost = (single.ids - found.ids).total()
            doubled = (found.ids - single.ids).total()
            other = (single.records - found.records).total() - lost
            rows.append((f"{form}, {victim} killed" if victim else form, found, lost, doubled, other, failures, victim))
    print(f"\n{'':20}{'rows':>9}{'lost':>6}{'doubled':>9}{'other bytes':>13}{'tasks failed':>14}"
          f"{'seconds':>9}{'ratio':>7}")
    print(f"{'one process, 2 jobs':20}{single.ids.total():9,}{'':42}{single.seconds:9.1f}{1:7.1f}")
    for name, found, lost, doubled, other, failures, _ in rows:
        print(f"{name:20}{found.ids.total():9,}{lost:6}{doubled:9}{other:13}{failures:14}{found.seconds:9.1f}"
              f"{found.seconds / single.seconds:7.1f}")
    print("seconds are those of the whole spark-submit, from its start to its end")
    faulty = [row for row in rows if any(row[2:5]) or bool(row[5]) != bool(row[6])]
    for row in faulty:
        print(f"error: {row[0]}: not what one process gives, or not as many failed tasks as there should be")
    return 1 if faulty else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])))
