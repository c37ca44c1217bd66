# SPDX-License-Identifier: MIT
"""Holds the Spark job to one payloadgen process, with and without processes that are killed in the middle.

    check_spark.py PAYLOADGEN PROFILES FOLDER

Runs the job on a master with two workers of one core each, speculation on, over PROFILES cut into a file and a .gz with
a broken line, a blank one and a CRLF; compares the records byte for byte, and the report on all parts with that of the
one process; and prints a table. The last run reads Parquet. FOLDER is for what is written. The exit code is 1 where
anything differs, or where what should have been killed was not.
"""
import contextlib
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections import Counter
from typing import NamedTuple

import pyarrow.dataset
import pyarrow.parquet

HERE = pathlib.Path(__file__).parent
SUBMIT = pathlib.Path(sys.executable).with_name("spark-submit")
ODD_LINES = b'{"external_id": broken\n \r\n{"external_id":"crlf-1","first_name":"Ana"}\r\n'
PROJECT = ["templates", "examples/trigger", "examples/BookDemo", ".payloadgen.yml"]
PARTS = 6
CONFIGURATION = {
    "spark.ui.enabled": "false", "spark.executor.memory": "1g",
    # A second attempt begins as soon as the first takes a little longer than half of the others.
    "spark.speculation": "true", "spark.speculation.quantile": "0.5", "spark.speculation.multiplier": "1.1",
    "spark.speculation.interval": "100ms", "spark.speculation.minTaskRuntime": "100ms",
}
SIGNS = {
    "payloadgen": "was ended by signal 9", "worker": "Python worker exited unexpectedly", "executor": "Lost executor",
}


def arguments(payloadgen: str, folder: str) -> list[str]:
    return [
        payloadgen, "render", f"{folder}templates/lab-progress.campaign.yml", "--trigger-properties",
        f"{folder}examples/trigger/lab-progress.json", "--now", "2026-11-20T09:00:00Z",
    ]


class Process(NamedTuple):
    id: int
    parent: int
    session: int
    name: str

    @property
    def command(self) -> bytes:
        return pathlib.Path("/proc", str(self.id), "cmdline").read_bytes()


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
    """Kills the first payloadgen of a session that is in the middle of its part, its Python worker, or its executor."""

    def __init__(self, session: int, victim: str, bytes_of_part: int) -> None:
        super().__init__(daemon=True)
        self.session = session
        self.victim = victim
        self.bytes_of_part = bytes_of_part
        self.report: str | None = None

    def run(self) -> None:
        while not self.report:
            for process in processes(self.session):
                if process.name == "payloadgen" and not self.report:
                    with contextlib.suppress(OSError, KeyError):  # It may have ended meanwhile.
                        self.meet(process)
            time.sleep(0.005)

    def meet(self, child: Process) -> None:
        if not self.bytes_of_part // 8 < self.written(child) < self.bytes_of_part // 2:
            return
        # Stopped, so that the number is that at its end.
        os.kill(child.id, signal.SIGSTOP)
        written = self.written(child)
        os.kill(self.target(child).id, signal.SIGKILL)
        if self.victim != "payloadgen":
            os.kill(child.id, signal.SIGCONT)
        self.report = f"{self.victim} killed: payloadgen {child.id} had written {written:,} bytes"

    def target(self, child: Process) -> Process:
        """The process to kill: the child, the Python worker that it works for, or the executor of both."""
        others = {process.id: process for process in processes(self.session)}
        process = child
        if self.victim == "worker":
            process = others[child.parent]
        while self.victim == "executor" and b"CoarseGrainedExecutorBackend" not in process.command:
            process = others[process.parent]
        return process

    @staticmethod
    def written(child: Process) -> int:
        return int(pathlib.Path("/proc", str(child.id), "io").read_text().split("\n")[1].split()[1])


class Single(NamedTuple):
    """What one process gives."""

    records: Counter
    summary: str
    page: str
    coverage: str
    seconds: float
    bytes: int


def one_process(payloadgen: str, users: pathlib.Path, folder: pathlib.Path) -> Single:
    output, page, coverage = folder / "single.ndjson", folder / "single.html", folder / "single.json"
    start = time.monotonic()
    run = subprocess.run(
        [*arguments(payloadgen, ""), "--profiles", users, "--jobs", "2", "--output", output, "--summary", "json",
         "--report", page, f"--coverage=json={coverage}"],
        stderr=subprocess.PIPE, text=True,
    )
    if run.returncode != 2:  # One of the odd lines is broken.
        sys.exit(f"error: payloadgen ended with {run.returncode}\n{run.stderr}")
    seconds = time.monotonic() - start
    data = output.read_bytes()
    return Single(
        Counter(data.splitlines()), run.stderr.splitlines()[-1], page.read_text(), coverage.read_text(), seconds,
        len(data),
    )


class Job(NamedTuple):
    """A job that has ended."""

    code: int
    log: str
    seconds: float
    report: str | None


def submit(
    name: str, payloadgen: str, folder: pathlib.Path, users: pathlib.Path, options: list[str],
    configuration: dict[str, str], killer: tuple[str, int] | None = None,
) -> Job:
    log = folder / f"{name}.log"
    shutil.rmtree(folder / "output", ignore_errors=True)
    shutil.copyfile(payloadgen, folder / "payloadgen")
    with tarfile.open(folder / "project.tar.gz", "w:gz") as archive:
        for path in PROJECT:
            archive.add(path)
    settings = {**CONFIGURATION, **configuration, "spark.local.dir": str(folder / "local")}
    start = time.monotonic()
    with open(log, "wb") as file:
        job = subprocess.Popen(
            [SUBMIT, "--master", "local-cluster[2,1,1024]",
             *(part for setting in settings.items() for part in ("--conf", "=".join(setting))),
             "--files", folder / "payloadgen", "--archives", f"{folder / 'project.tar.gz'}#project",
             "--py-files", HERE / "records.py", HERE / "spark_job.py", *options, users, folder / "output", "--",
             *arguments("./payloadgen", "project/")],
            stdout=file, stderr=file, start_new_session=True, env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        )
        thread = Killer(job.pid, *killer) if killer else None
        if thread:
            thread.start()
        try:
            code = job.wait()
        finally:
            job.terminate()  # A session of its own does not hear Ctrl-C.
    seconds = time.monotonic() - start
    time.sleep(1)  # A worker that was killed leaves a child, which ends with its input.
    if left := [process for process in processes(job.pid) if process.name == "payloadgen"]:
        sys.exit(f"error: {name}: left running: {left}; see {log}")
    return Job(code, log.read_text(errors="replace"), seconds, thread and thread.report)


def records_of(output: pathlib.Path) -> Counter:
    table = pyarrow.dataset.dataset(output / "kind=record").to_table(columns=["record"])
    return Counter(record.encode() for record in table.column(0).to_pylist())


def page_of(text: str) -> str:
    """A page without the names of what it was rendered from."""
    return re.sub(r"<p><code>.*? rendered for .*?</p>", "", text, count=1, flags=re.DOTALL).replace("project/", "")


def write_users(profiles: str, folder: pathlib.Path) -> pathlib.Path:
    users = folder / "users"
    shutil.rmtree(users, ignore_errors=True)
    users.mkdir()
    lines = pathlib.Path(profiles).read_bytes().splitlines(keepends=True)
    cut = len(lines) * 9 // 10
    (users / "a.ndjson").write_bytes(b"".join(lines[:cut]))
    with gzip.open(users / "b.ndjson.gz", "wb") as file:
        file.write(b"".join(lines[cut:]) + ODD_LINES)
    return users


def write_table(profiles: str, folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """The fields that the campaign reads as a Parquet table of several row groups, and the same users as NDJSON."""
    rows = []
    for line in pathlib.Path(profiles).read_bytes().splitlines():
        user = json.loads(line)
        attributes = user.get("custom_attributes") or {}
        rows.append({
            **{key: user.get(key) for key in ("external_id", "braze_id", "first_name")},
            "custom_attributes": {
                key: attributes.get(key) for key in ("completed_session_count", "total_session_count")
            },
        })
    table, lines = folder / "table", folder / "table.ndjson"
    shutil.rmtree(table, ignore_errors=True)
    table.mkdir()
    half = len(rows) // 2
    for name, part in (("a", rows[:half]), ("b", rows[half:])):
        pyarrow.parquet.write_table(
            pyarrow.Table.from_pylist(part), table / f"{name}.parquet", row_group_size=len(rows) // 10
        )
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return table, lines


def payloads(records: Counter) -> Counter:
    """Records without `file` and `line`."""
    return Counter({re.sub(rb',"file":.*?,"line":\d+|,"line":\d+', b"", record, count=1): count
                    for record, count in records.items()})


def check_parquet(payloadgen: str, profiles: str, folder: pathlib.Path, size: int) -> str | None:
    """What is wrong with the records of a table; None where nothing is."""
    table, lines = write_table(profiles, folder)
    job = submit("parquet", payloadgen, folder, table, ["--input-format", "parquet"],
                 {"spark.sql.files.maxPartitionBytes": str(size // 100)})
    run = subprocess.run(
        [*arguments(payloadgen, ""), "--profiles", lines, "--format", "record"], capture_output=True, check=True
    )
    expected = payloads(Counter(run.stdout.splitlines()))
    found = records_of(folder / "output") if not job.code else Counter()
    places = [tuple(place) for place in re.findall(rb'"file":"[^"]*/(.)\.parquet","line":(\d+),', b"\n".join(found))]
    if payloads(found) != expected or len(set(places)) != expected.total():
        return f"parquet: code {job.code}, not what one process gives of the same users; see {folder}/parquet.log"
    print(f"{'Parquet':22}{found.total():9,}{0:6}{0:9}{0:13}{'':28}{job.seconds:9.1f}", flush=True)
    return None


def main(payloadgen: str, profiles: str, folder: pathlib.Path) -> int:
    folder = folder.resolve()
    users = write_users(profiles, folder)
    single = one_process(payloadgen, users, folder)
    size = (users / "a.ndjson").stat().st_size
    cut = {"spark.sql.files.maxPartitionBytes": str(size // (PARTS - 1)), "spark.sql.files.openCostInBytes": "0"}
    faults = []
    print(f"{'':22}{'rows':>9}{'lost':>6}{'doubled':>9}{'other bytes':>13}{'tasks failed':>14}{'second tries':>14}"
          f"{'seconds':>9}  report", flush=True)
    print(f"{'one process, 2 jobs':22}{single.records.total():9,}{'':56}{single.seconds:9.1f}", flush=True)
    for victim in (None, "payloadgen", "worker", "executor"):
        name = f"{victim} killed" if victim else "nothing killed"
        killer = (victim, single.bytes // PARTS) if victim else None
        job = submit(victim or "nothing", payloadgen, folder, users, [], cut, killer)
        if job.code or bool(job.report) != bool(victim) or (victim and SIGNS[victim] not in job.log):
            faults.append(f"{name}: code {job.code}, {job.report}; see {folder}/{victim or 'nothing'}.log")
            continue
        if job.report:
            print(job.report, flush=True)
        output = folder / "output"
        found = records_of(output)
        ids = [Counter(record.partition(b',"status":')[0] for record in counter.elements())
               for counter in (single.records, found)]
        lost, doubled = (ids[0] - ids[1]).total(), (ids[1] - ids[0]).total()
        other = (single.records - found).total() - lost
        same = (
            (output / "_summary.json").read_text().rstrip("\n").replace("project/", "") == single.summary
            and page_of((output / "_report.html").read_text()) == page_of(single.page)
            and (output / "_coverage.json").read_text().replace("project/", "") == single.coverage
        )
        print(f"{name:22}{found.total():9,}{lost:6}{doubled:9}{other:13}{len(re.findall('Lost task ', job.log)):14}"
              f"{len(re.findall('as speculatable', job.log)):14}{job.seconds:9.1f}  {'the same' if same else 'another'}",
              flush=True)
        if lost or doubled or other or not same or not (output / "_SUCCESS").exists():
            faults.append(f"{name}: not what one process gives")
    job = submit("budget", payloadgen, folder, users, ["--max-failed", "0"], cut)
    if not job.code or "1 of" not in job.log or "(profile-syntax), first in" not in job.log:
        faults.append(f"a failed record over the budget: code {job.code}; see {folder}/budget.log")
    elif (folder / "output/_SUCCESS").exists():
        faults.append("a failed record over the budget: _SUCCESS was written")
    else:
        print("one failed record with --max-failed 0: " + re.search("error: (.*records failed.*)", job.log)[1], flush=True)
    if fault := check_parquet(payloadgen, profiles, folder, size):
        faults.append(fault)
    for fault in faults:
        print(f"error: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])))
