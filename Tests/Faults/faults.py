# SPDX-License-Identifier: MIT
"""Runs the command where something goes wrong: kills, full disks, locks, pipes, closed descriptors, links, clashes.

    faults.py COMMAND [--short] [WORD...]

COMMAND is the built payloadgen. Each case prints one line, `passed NAME` or `failed NAME: why`; only those whose names
hold one of the words run, all without any. With --short the cases that kill do so a few times only. The exit code is 1
when any failed. Nothing is written outside of a temporary folder, whose files go with it.
"""

import sys

import batches  # noqa: F401
import files  # noqa: F401
import harness

if __name__ == "__main__":
    harness.main(sys.argv[1:])
