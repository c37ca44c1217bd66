# SPDX-License-Identifier: MIT
"""Renders random templates with the engine and with the reference, and shows where they differ.

    differential.py SERVER [COUNT [SEED]]

SERVER is the built liquid-server. LIQUID_REFERENCE names a checkout of Shopify/liquid, which Ruby runs. Each case is
made from its seed alone, which is printed with it: `differential.py SERVER 1 SEED` renders it again. A case that
differs is cut down as long as it differs. The exit code is 1 when any differs, and 0 when there is no reference.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import templates

NOW = "2024-01-01T00:01:58Z"
FOLDER = pathlib.Path(__file__).parent
SHOWN = 20


class Process:
    """A program that answers each line of JSON with one; started anew when it dies and now and then."""

    def __init__(self, command, renewed_after=5000):
        self.command = command
        self.renewed_after = renewed_after
        self.start()

    def start(self):
        self.asked = 0
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def send(self, message):
        self.asked += 1
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def receive(self):
        """The answer; None when the program has died."""
        line = self.process.stdout.readline()
        if not line:
            self.renew()
        return json.loads(line) if line else None

    def renew_in_time(self):
        """Starts the program anew where it has answered much; not to be called between questions of one case."""
        if self.asked > self.renewed_after:
            self.renew()

    def renew(self):
        self.stop()
        self.start()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Reference:
    def __init__(self):
        self.process = Process(["ruby", str(FOLDER / "reference.rb")])

    def ask(self, case):
        self.process.renew_in_time()
        self.process.send(case)

    def answer(self):
        return self.process.receive() or ["failed", "ended"]


class Engine:
    def __init__(self, server):
        self.process = Process([server, "rpc"])

    def call(self, method, **parameters):
        self.process.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})
        return self.process.receive()

    def outcome(self, case):
        self.process.renew_in_time()
        compiled = self.call(
            "compile",
            template=case["template"],
            options={"error_mode": case["mode"]},
            filesystem=case["partials"],
        )
        if compiled is None:
            return ["died", "while compiling"]
        if "error" in compiled["result"]:
            return ["error", compiled["result"]["error"]["message"]]
        rendered = self.call(
            "render",
            template_id=compiled["result"]["template_id"],
            environment=case["data"],
            options={"registers": {"current_time": NOW}},
        )
        if rendered is None:
            return ["died", "while rendering"]
        if "error" in rendered:
            return ["error", rendered["error"]["message"]]
        return ["output", rendered["result"]["output"]]


class Comparison:
    def __init__(self, server):
        self.reference = Reference()
        self.engine = Engine(server)
        # How often the reference itself broke, so that there was nothing to compare with.
        self.failures = 0

    def outcomes(self, case):
        # The reference works while the engine does.
        self.reference.ask(case)
        found = self.engine.outcome(case)
        return self.reference.answer(), found

    def differs(self, case):
        expected, found = self.outcomes(case)
        if expected[0] == "failed":
            self.failures += 1
            return found[0] == "died"
        return expected != found

    def shrunk(self, case):
        """The case without every run of characters that the difference does not need."""
        text = case["template"]
        length = max(1, len(text) // 2)
        while True:
            start = 0
            was_cut = False
            while start < len(text):
                shorter = text[:start] + text[start + length:]
                if self.differs({**case, "template": shorter}):
                    text = shorter
                    was_cut = True
                else:
                    start += length
            if length == 1 and not was_cut:
                return {**case, "template": text}
            if not was_cut:
                length //= 2

    def show(self, seed, case):
        case = self.shrunk(case)
        expected, found = self.outcomes(case)
        print(f"seed {seed}, {case['mode']}: {case['template']!r}")
        print(f"    reference: {expected[0]} {expected[1]!r}")
        print(f"    engine:    {found[0]} {found[1]!r}", flush=True)


def main(server, count=10000, seed=1):
    if shutil.which("ruby") is None:
        print("differential: skipped, there is no ruby")
        return 0
    folder = os.environ.get("LIQUID_REFERENCE", "")
    if not os.path.exists(os.path.join(folder, "lib", "liquid.rb")):
        print("differential: skipped, LIQUID_REFERENCE names no checkout of Shopify/liquid")
        return 0
    comparison = Comparison(server)
    comparison.reference.ask({**templates.case(0), "template": "{{ 1 | plus: 1 }}"})
    if comparison.reference.answer() != ["output", "2"]:
        print("differential: the reference does not run: see LIQUID_REFERENCE and RUBYLIB")
        return 1
    differing = 0
    failing = 0
    for number in range(seed, seed + count):
        case = templates.case(number)
        comparison.failures = 0
        is_different = comparison.differs(case)
        failing += comparison.failures
        if is_different:
            differing += 1
            if differing <= SHOWN:
                comparison.show(number, case)
    print(f"differential: {count} templates from seed {seed}, {differing} differ, {failing} broke the reference")
    return 1 if differing else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:4])))
