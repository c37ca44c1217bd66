# SPDX-License-Identifier: MIT
"""Runs the command where something goes wrong, and counts what passed."""

import contextlib
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOW = ["--now", "2026-11-20T09:00:00Z"]

# A run of the command that takes longer hangs.
PATIENCE = 60


class Failed(Exception):
    """Why a case failed."""


class Skipped(Exception):
    """Why a case cannot be tried on this machine."""


def expect(condition, why):
    if not condition:
        raise Failed(why)


class Result:
    def __init__(self, status, output, errors):
        # The cases are those of a release, also with a debug build, which reports that a batch is run by it.
        errors = re.sub(rb"^note: this is a debug build, .*\n", b"", errors, flags=re.M)
        self.status, self.output, self.errors = status, output, errors

    def __repr__(self):
        return f"exit {self.status}, {self.output[:200]!r}, {self.errors[:300]!r}"

    def ended(self, *statuses):
        """The result itself, where it ended as expected."""
        expect(self.status in statuses, f"expected exit {' or '.join(map(str, statuses))}, found {self}")
        return self

    def said(self, *words):
        """The result itself, where standard error holds the words."""
        for word in words:
            expect(word in self.errors.decode(errors="replace"), f"expected {word!r} on standard error, found {self}")
        return self


class Place:
    """A folder for one case, which is the root of a project of its own, and the command."""

    def __init__(self, command, folder, is_short, seed):
        self.command, self.folder, self.is_short = command, folder, is_short
        self.random = random.Random(seed)
        (folder / ".git").mkdir(parents=True)

    def path(self, name):
        return self.folder / name

    def write(self, name, content, mode=None):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if mode is not None:
            path.chmod(mode)
        return path

    def read(self, name):
        return self.path(name).read_bytes()

    def copy(self, name, target=None):
        """Copies a file or folder of the repository."""
        path = self.path(target or name)
        path.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, path)
        return path

    def names(self, folder="."):
        """All files of the folder but those of .git."""
        base = self.path(folder)
        paths = [path.relative_to(base) for path in base.rglob("*") if not path.is_dir() or path.is_symlink()]
        return {str(path) for path in paths if path.parts[0] != ".git"}

    def start(self, *arguments, **options):
        """Starts the command; options are those of Popen, and `limit`, the largest file that it may write."""
        limit = options.pop("limit", None)

        def prepare():
            # Without SIGXFSZ a write beyond the limit fails as on a full disk.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            # Whoever runs the cases may ignore these, as `nohup` does.
            for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        settings = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            [self.command, *map(str, arguments)],
            **{**settings, "cwd": self.folder, "preexec_fn": prepare, **options},
        )

    def run(self, *arguments, input=None, patience=PATIENCE, **options):
        """Runs the command to its end; one that hangs fails the case."""
        if input is not None:
            options["stdin"] = subprocess.PIPE
        return self.finish(self.start(*arguments, **options), input, patience)

    def finish(self, process, input=None, patience=PATIENCE):
        try:
            output, errors = process.communicate(input, timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f"hangs: {' '.join(process.args[1:])}") from None
        return Result(process.returncode, output or b"", errors or b"")

    def shell(self, line, patience=PATIENCE):
        """Runs a line of the shell, in which $P is the command."""
        process = subprocess.Popen(
            ["/bin/bash", "-c", line], cwd=self.folder, env={**os.environ, "P": self.command},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )
        try:
            output, errors = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Failed(f"hangs: {line}") from None
        return Result(process.returncode, output, errors)

    def kill_after(self, seconds, *arguments, **options):
        """Kills a run of the command after a time; false where it had ended by then."""
        process = self.start(*arguments, **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options})
        try:
            process.wait(timeout=seconds)
            return False
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return True

    def seconds(self, *arguments):
        """How long a run takes."""
        start = time.monotonic()
        self.run(*arguments)
        return time.monotonic() - start

    @contextlib.contextmanager
    def full_disk(self, name, size):
        """A folder on a disk of its own with room for so many bytes."""
        folder = self.path(name)
        folder.mkdir(parents=True)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
        if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
            raise Skipped("this machine mounts no tmpfs")
        try:
            (folder / ".git").mkdir()
            yield folder
        finally:
            subprocess.run(["umount", str(folder)], check=True)


CASES = []


def case(function):
    """Marks a case: its name is that of the function, with spaces."""
    CASES.append((function.__name__.replace("_", " "), function))
    return function


def main(arguments):
    """Runs the cases whose names hold one of the words; all without words."""
    if not arguments or not os.access(arguments[0], os.X_OK):
        sys.exit("usage: faults.py COMMAND [--short] [WORD...]")
    command = str(pathlib.Path(arguments[0]).resolve())
    is_short = "--short" in arguments
    words = [word for word in arguments[1:] if word != "--short"]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with tempfile.TemporaryDirectory(prefix="payloadgen-faults-") as scratch:
        for number, (name, function) in enumerate(CASES):
            if words and not any(word in name for word in words):
                continue
            place = Place(command, pathlib.Path(scratch).resolve() / str(number) / "project", is_short, name)
            start = time.monotonic()
            try:
                function(place)
                outcome, why = "passed", ""
            except Skipped as skipped:
                outcome, why = "skipped", f": {skipped}"
            except Failed as failed:
                outcome, why = "failed", f": {failed}"
            except Exception:
                outcome, why = "failed", ": " + traceback.format_exc(limit=-2).strip().replace("\n", " | ")
            counts[outcome] += 1
            seconds = time.monotonic() - start
            print(f"{outcome} {name}{why}" + (f" ({seconds:.1f} s)" if seconds > 5 else ""), flush=True)
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"{counts['passed']} passed, {counts['failed']} failed{skipped}")
    sys.exit(1 if counts["failed"] else 0)
