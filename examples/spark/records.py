# SPDX-License-Identifier: MIT
"""Profiles through one payloadgen process: a record for every line, in order, or an error. Knows nothing of Spark."""
import json
import re
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# One job: whoever starts a child for each of its tasks has counted the cores already.
BATCH_OPTIONS = ["--profiles", "-", "--format", "record", "--jobs", "1"]
# 2 says that some profiles failed, and their records say why. Everything else is a failure of the whole part, such as 1,
# with which a check of the campaign ends a batch before its first record.
GOOD_CODES = (0, 2)
HEAD = re.compile(r'\{"id":(null|"(?:[^"\\]|\\.)*"),"line":(\d+),"status":"([a-z]+)"')
SHOWN_OF_STDERR = 4096
# Runs a child for RDD.pipe, which takes no exit code but 0, and shows no standard error in the error of a task. A line that is
# not a record fails the part, and shows why.
GUARD = """
said=$(mktemp) && trap 'rm -f "$said"' EXIT || exit 74
"$@" 2>"$said"
code=$?
cat "$said" >&2
case $code in %s) exit 0 ;; esac
printf '%%s ended with %%s: %%s\\n' "$1" "$code" "$(tail -c %d "$said" | tr '\\n' ' ')"
exit "$code"
""" % ("|".join(map(str, GOOD_CODES)), SHOWN_OF_STDERR)


class Row(NamedTuple):
    """A record as it was written, and the members that tables are asked for."""

    position: int
    id: str | None
    status: str
    record: str


def batch_command(arguments: list[str]) -> list[str]:
    """What starts a child; ends the program where a retry would give other records."""
    if not any(argument.split("=")[0] == "--now" for argument in arguments):
        raise SystemExit("error: without --now every partition, and every retry, has a time of its own")
    return arguments + BATCH_OPTIONS


def guarded(command: list[str]) -> list[str]:
    """The command for RDD.pipe: 0 where it ended well, and standard error in its output where it did not."""
    return ["sh", "-c", GUARD, "sh", *command]


def render(command: list[str], lines: Iterable[bytes]) -> Iterator[str]:
    """The records that one child gives for lines.

    A thread writes while the caller reads: a child whose records nobody takes stops reading, and both would wait for
    ever.
    """
    said = tempfile.TemporaryFile()
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, bufsize=1 << 18)
    faults: list[BaseException] = []

    def write() -> None:
        try:
            for line in lines:
                child.stdin.write(line + b"\n")
            child.stdin.close()
        except BrokenPipeError:
            pass  # The child has ended: its exit code tells why.
        except BaseException as fault:
            # Lines are missing, so that the child must not come to what it takes for their end.
            faults.append(fault)
            child.kill()

    threading.Thread(target=write, daemon=True).start()
    try:
        for record in child.stdout:
            if record.endswith(b"\n"):
                yield record[:-1].decode()
        code = child.wait()
        if faults:
            raise faults[0]
        if code not in GOOD_CODES:
            said.seek(max(0, said.seek(0, 2) - SHOWN_OF_STDERR))
            end = f"was ended by signal {-code}" if code < 0 else f"ended with {code}"
            raise RuntimeError(f"{shlex.join(command)} {end}\n{said.read().decode(errors='replace')}")
    finally:
        # Also where the caller wants no more.
        child.kill()
        child.wait()


class Ledger:
    """Counts lines on the way to a child, and holds the records that come back against them."""

    def __init__(self) -> None:
        self.sent = 0
        self.is_closed = False

    def sending(self, lines: Iterable) -> Iterator:
        """The lines, counted; none of them may be blank, as payloadgen passes over such lines."""
        for line in lines:
            self.sent += 1
            yield line
        self.is_closed = True

    def received(self, records: Iterable[str]) -> Iterator[Row]:
        """A row for each record; fails unless they are those of the lines 1, 2, … up to the last that was sent."""
        count = 0
        for record in records:
            count += 1
            head = HEAD.match(record)
            if not head or int(head[2]) != count:
                raise RuntimeError(f"expected the record of line {count}, found {record[:SHOWN_OF_STDERR]!r}")
            yield Row(count, json.loads(head[1]), head[3], record)
        if not self.is_closed or count != self.sent:
            raise RuntimeError(f"{count} records for {self.sent} lines{'' if self.is_closed else ' or more'}")
