# SPDX-License-Identifier: MIT
"""Lines of profiles through payloadgen processes, and one report on all of them. Knows no engine."""
import functools
import json
import pathlib
import re
import shlex
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# One job: whoever starts a child for each task has counted the cores already.
BATCH_OPTIONS = ["--profiles", "-", "--format", "record", "--jobs", "1"]
# 2 says that some profiles failed, and their records say why. Everything else is a failure of the whole part.
GOOD_CODES = (0, 2)
HEAD = re.compile(rb'\{"id":(null|"(?:[^"\\]|\\.)*"),"file":"(?:[^"\\]|\\.)*","line":(\d+),"status":"([a-z]+)"')
# A line of only blanks gives no record, also after the mark, which a file may begin with.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SHOWN_OF_STDERR = 4096
# What the counts of a part have in common with those of every other part of the same batch.
IDENTITY = ("campaign", "app", "options", "build")


class Row(NamedTuple):
    """A record as it was written, and the members that tables are asked for; or the counts of a whole part."""

    kind: str
    line: int
    id: str | None
    status: str | None
    record: bytes


def batch_command(arguments: list[str]) -> list[str]:
    """What starts a child; ends the program where a retry would give other records."""
    if not any(argument.split("=")[0] == "--now" for argument in arguments):
        raise SystemExit("error: without --now every part, and every retry, has a time of its own")
    return [*arguments, *BATCH_OPTIONS]


def failure(command: list[str], code: int, said: str) -> str:
    end = f"was ended by signal {-code}" if code < 0 else f"ended with {code}"
    return f"{shlex.join(command)} {end}\n{said[-SHOWN_OF_STDERR:]}"


def empty_part(command: list[str], folder: str) -> bytes:
    """The counts of a part without profiles.

    Fails where the command does, with its standard error: a campaign that does not pass its checks ends here.
    """
    with tempfile.TemporaryDirectory() as scratch:
        counts = pathlib.Path(scratch, "counts")
        whole = [*command, "--counts", str(counts)]
        run = subprocess.run(whole, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(failure(whole, run.returncode, run.stderr.decode(errors="replace")))
        return counts.read_bytes().rstrip(b"\n")


def identity(counts: bytes) -> tuple[str, ...]:
    """The hashes of the campaign, the app, the options and the build that a part was rendered with."""
    found = json.loads(counts)
    return tuple(found[part] for part in IDENTITY)


@functools.lru_cache(maxsize=1)
def check_worker(command: tuple[str, ...], folder: str, expected: tuple[str, ...]) -> None:
    """Fails where this machine would render something else than the driver's; asked once by each worker process."""
    found = identity(empty_part(list(command), folder))
    others = [part for part, value, other in zip(IDENTITY, expected, found) if value != other]
    if others:
        raise RuntimeError(f"payloadgen in {folder}: another {', '.join(others)} than on the driver")


def render(
    command: list[str], folder: str, file: str, first_line: int, chunks: Iterable[list[bytes]]
) -> Iterator[Row]:
    """The records that one child gives for lines of a file, and at the end their counts.

    A thread writes while the caller reads: a child whose records nobody takes stops reading, and both would wait for
    ever. Every line that is not blank must come back as the record of that line, in order, to the last.
    """
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryFile() as said:
        counts = pathlib.Path(scratch, "counts")
        whole = [
            *command, "--assume-filename", file, "--first-line", str(first_line), "--counts", str(counts),
        ]
        child = subprocess.Popen(
            whole, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, bufsize=1 << 18
        )
        expected: deque[int] = deque()
        faults: list[BaseException] = []

        def write() -> None:
            number = first_line
            try:
                for chunk in chunks:
                    for line in chunk:
                        if line.removeprefix(BYTE_ORDER_MARK).strip(b" \t\r"):
                            expected.append(number)
                        number += 1
                    child.stdin.write(b"\n".join(chunk) + b"\n")
                child.stdin.close()
            except BrokenPipeError:
                pass  # The child has ended: its exit code says why.
            except BaseException as fault:
                # Lines are missing, so that the child must not come to what it takes for their end.
                faults.append(fault)
                child.kill()

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        try:
            for record in child.stdout:
                if not record.endswith(b"\n"):
                    break  # Cut off by the end of the child, whose exit code is asked for below.
                head = HEAD.match(record)
                line = expected.popleft() if expected else None
                if not head or int(head[2]) != line:
                    raise RuntimeError(f"expected the record of line {line}, found {record[:SHOWN_OF_STDERR]!r}")
                yield Row("record", line, json.loads(head[1]), head[3].decode(), record[:-1])
            code = child.wait()
            writer.join()
            if faults:
                raise faults[0]
            if code not in GOOD_CODES:
                said.seek(0)
                raise RuntimeError(failure(whole, code, said.read().decode(errors="replace")))
            if expected:
                raise RuntimeError(f"no record of line {expected[0]}, nor of {len(expected) - 1} lines after it")
            yield Row("counts", first_line, None, None, counts.read_bytes().rstrip(b"\n"))
        finally:
            # Also where the caller wants no more.
            child.kill()
            child.wait()


class Summary(NamedTuple):
    """The report on all parts."""

    numbers: dict
    json: bytes
    page: bytes
    coverage: bytes
    text: str

    def files(self) -> dict[str, bytes]:
        """What is written beside the records; readers of tables pass over such names."""
        return {"_summary.json": self.json, "_report.html": self.page, "_coverage.json": self.coverage}


def merged(command: list[str], folder: str, counts: Iterable[bytes]) -> Summary:
    """The summary and the page of the whole batch, which payloadgen makes of the counts of its parts."""
    arguments = command[: -len(BATCH_OPTIONS)]
    with tempfile.TemporaryDirectory() as scratch:
        parts, page, coverage = (pathlib.Path(scratch, name) for name in ("parts", "page.html", "coverage.json"))
        with open(parts, "wb") as file:
            for part in counts:
                file.write(part + b"\n")
        whole = [
            *arguments, "--merge", str(parts), "--summary", "json", "--report", str(page),
            f"--coverage=json={coverage}",
        ]
        run = subprocess.run(whole, cwd=folder, capture_output=True, check=False)
        said = run.stderr.decode(errors="replace")
        if run.returncode not in GOOD_CODES:
            raise RuntimeError(failure(whole, run.returncode, said))
        line = next(line for line in reversed(said.splitlines()) if line.startswith('{"profiles":'))
        return Summary(json.loads(line), line.encode() + b"\n", page.read_bytes(), coverage.read_bytes(), said)


class Budget(NamedTuple):
    """How many records may fail before the whole batch does: a share of the profiles, or a number."""

    most: float
    is_share: bool

    @classmethod
    def parse(cls, text: str) -> "Budget":
        share = text.endswith("%")
        return cls(float(text[:-1]) / 100, True) if share else cls(int(text), False)

    def excess(self, numbers: dict) -> str | None:
        """Why the batch fails, with the kinds of errors and an example of each; nil where it does not."""
        failed, profiles = numbers["failed"], numbers["profiles"]
        if failed <= (self.most * profiles if self.is_share else self.most):
            return None
        budget = f"{self.most * 100:.4g}%" if self.is_share else f"{self.most:,}"
        lines = [f"{failed:,} of {profiles:,} records failed, more than --max-failed {budget}"]
        for kind in numbers["failed_by_error"]:
            lines.append(f"{kind['count']:,} {kind['message']} ({kind['rule']}), first in {kind['example']}")
        if more := numbers.get("failed_by_error_more"):
            lines.append(f"{more['count']:,} of {more['kinds']} other kinds")
        return "\n".join(lines)
