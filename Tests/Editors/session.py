#!/usr/bin/env python3
"""Sessions with `payloadgen lsp`, message by message.

  session.py COMMAND edits [N] [SEED]    random edits; what is said last is what a new `lint` says
  session.py COMMAND latency [FOLDER]    from the end of the pause to diagnostics: BookDemo, or FOLDER
  session.py COMMAND project FOLDER      writes a project of 300 campaigns and 1,000 Swift files
"""
import json
import os
import pathlib
import queue
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PAUSE = 0.1


class Client:
    """A client that keeps what it gets."""

    def __init__(self, command, folder):
        self.server = subprocess.Popen([command, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.queue = queue.Queue()
        self.answered = {}
        self.findings = {}
        self.next = 0
        threading.Thread(target=self.read, daemon=True).start()
        capabilities = {"workspace": {"workspaceEdit": {"documentChanges": True}}}
        root = pathlib.Path(folder).as_uri()
        self.ask("initialize", {"processId": os.getpid(), "rootUri": root, "capabilities": capabilities})
        self.tell("initialized", {})

    def read(self):
        stream = self.server.stdout
        while header := stream.readline():
            length = int(header.split(b":")[1])
            assert stream.readline() == b"\r\n", header
            message = json.loads(stream.read(length))
            if message.get("method") == "textDocument/publishDiagnostics":
                parameters = message["params"]
                self.findings[parameters["uri"]] = (parameters.get("version"), parameters["diagnostics"], time.monotonic())
            elif "id" in message and "method" not in message:
                assert message["id"] not in self.answered, f"answered twice: {message}"
                self.answered[message["id"]] = True
                self.queue.put(message)
        self.queue.put(None)

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def tell(self, method, parameters):
        self.send({"method": method, "params": parameters})

    def start(self, method, parameters):
        self.next += 1
        self.send({"id": self.next, "method": method, "params": parameters})
        return self.next

    def ask(self, method, parameters):
        wanted = self.start(method, parameters)
        while True:
            message = self.queue.get(timeout=120)
            assert message is not None, "the server has ended"
            if message["id"] == wanted:
                return message

    def open(self, path, text, version):
        uri = pathlib.Path(path).as_uri()
        item = {"uri": uri, "languageId": "yaml", "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return uri

    def change(self, uri, version, changes):
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})

    def wait(self, uri, version):
        limit = time.monotonic() + 120
        while time.monotonic() < limit:
            found = self.findings.get(uri)
            if found and found[0] == version:
                return found
            time.sleep(0.001)
        raise AssertionError(f"no findings of {uri}, version {version}")

    def kilobytes(self):
        status = pathlib.Path(f"/proc/{self.server.pid}/status")
        if not status.exists():
            return 0
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmRSS:"))

    def processor_time(self):
        """The seconds that the server has worked, which other programs do not lengthen."""
        stat = pathlib.Path(f"/proc/{self.server.pid}/stat")
        if not stat.exists():
            return 0.0
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        assert self.server.wait(timeout=60) == 0


def position(text, offset):
    line = text.count("\n", 0, offset)
    start = text.rfind("\n", 0, offset) + 1
    return {"line": line, "character": len(text[start:offset].encode("utf-16-le")) // 2}


def copied_project(folder):
    for name in ["templates", "examples", ".payloadgen.yml"]:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns(".build"))
        elif source.exists():
            shutil.copy(source, folder / name)
    if not (folder / ".payloadgen.yml").exists():
        (folder / ".payloadgen.yml").write_text("version: 1\n")


PIECES = [
    "a", " ", "\n", "\n  ", "{{", "}}", "{% if a %}", "{% endif %}", "${first_name}", " | upcase", " | upcas", "😀", "é",
    "e\u0301", "\t", ": ", "- ", '"', "'", "#", "body: x\n", "title: ", "# payloadgen:disable unknown-filter\n", "日本", "{}", "[",
]


def edits(command, count, seed):
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as parent:
        folder = pathlib.Path(parent).resolve() / "project"
        folder.mkdir()
        copied_project(folder)
        names = ["templates/lab-progress.campaign.yml", "templates/blocks/sign_off.liquid", "templates/game-night.campaign.yml",
                 "examples/BookDemo/LabProgress/payloadgen.extras.yml"]
        paths = [folder / name for name in names if (folder / name).exists()]
        client = Client(command, folder)
        texts = {path: path.read_text() for path in paths}
        uris = {path: client.open(path, texts[path], 0) for path in paths}
        versions = dict.fromkeys(paths, 0)
        asked = 0
        memory = []
        for step in range(count):
            path = chance.choice(paths)
            text = texts[path]
            start = chance.randrange(len(text) + 1)
            length = 0 if chance.random() < 0.6 else chance.randrange(6)
            end = min(len(text), start + length)
            # A text that has grown or shrunk much begins anew.
            if not 200 < len(text) < 20_000 and len(path.read_text()) > 400 or chance.random() < 0.01:
                new, change = path.read_text(), {"text": path.read_text()}
            else:
                piece = chance.choice(PIECES) if chance.random() < 0.7 else ""
                new = text[:start] + piece + text[end:]
                change = {"range": {"start": position(text, start), "end": position(text, end)}, "text": piece}
            texts[path] = new
            versions[path] += 1
            client.change(uris[path], versions[path], [change])
            if chance.random() < 0.05:
                method = chance.choice(["completion", "hover", "definition", "references", "documentSymbol"])
                place = {"textDocument": {"uri": uris[path]}, "position": position(new, min(start, len(new)))}
                client.start("textDocument/" + method, place)
                asked += 1
            if chance.random() < 0.02:
                client.wait(uris[path], versions[path])
            if step % max(1, count // 20) == 0:
                memory.append(client.kilobytes())
        for path in paths:
            client.wait(uris[path], versions[path])
        # Answers may be on their way.
        client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uris[paths[0]]}})
        assert len(client.answered) == asked + 2, f"{len(client.answered)} answers to {asked + 2} requests"
        memory.append(client.kilobytes())
        said = {path: client.findings[uris[path]][1] for path in paths}
        client.end()
        for path in paths:
            path.write_text(texts[path], newline="")
        report = subprocess.run(
            [command, "lint", "--format", "json", "."], cwd=folder, capture_output=True, text=True, check=False)
        fresh = {path: [] for path in paths}
        for found in json.loads(report.stdout)["results"]:
            path = folder / found["file"]
            if path in fresh:
                fresh[path].append((found["rule"], found["message"], found["start"]["line"]))
        for path in paths:
            own = [(found["code"], found["message"], found["range"]["start"]["line"] + 1) for found in said[path]]
            assert sorted(own) == sorted(fresh[path]), f"{path}: said {sorted(own)}, lint {sorted(fresh[path])}"
        # The first quarter fills caches.
        first, last = max(memory[len(memory) // 4: len(memory) // 2] or memory), memory[-1]
        assert last < first * 1.25 + 20_000, f"memory grows: {memory}"
        print(f"session: {count} edits, {asked} requests; {sum(map(len, said.values()))} findings as lint has them; "
              f"{memory[0] >> 10} to {max(memory) >> 10} MiB, {last >> 10} at the end")


def latency(command, folder):
    with tempfile.TemporaryDirectory() as parent:
        if folder is None:
            folder = pathlib.Path(parent).resolve() / "project"
            folder.mkdir()
            copied_project(folder)
        folder = pathlib.Path(folder).resolve()
        path = sorted(folder.glob("templates/*.campaign.yml"))[0]
        text = path.read_text()
        client = Client(command, folder)
        began = time.monotonic()
        uri = client.open(path, text, 0)
        first = client.wait(uri, 0)[2] - began - PAUSE
        times = []
        worked = client.processor_time()
        for version in range(1, 41):
            marked = text.replace("title: \"", f"title: \"{version} ", 1)
            sent = time.monotonic()
            client.change(uri, version, [{"text": marked}])
            times.append(client.wait(uri, version)[2] - sent - PAUSE)
        worked = (client.processor_time() - worked) / len(times)
        files = sum(1 for _ in folder.rglob("*.campaign.yml")), sum(1 for _ in folder.rglob("*.swift"))
        print(f"latency: {files[0]} campaigns, {files[1]} Swift files: median {statistics.median(times) * 1000:.0f} ms after the "
              f"pause, longest {max(times) * 1000:.0f} ms, {worked * 1000:.0f} ms of processor time each, the first time {first * 1000:.0f} ms, {client.kilobytes() >> 10} MiB")
        client.end()


def write_project(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    copied_project(folder)
    for path in folder.glob("templates/*.campaign.yml"):
        if path.name != "lab-progress.campaign.yml":
            path.unlink()
    text = (folder / "templates/lab-progress.campaign.yml").read_text()
    for number in range(299):
        (folder / f"templates/lab-{number:03}.campaign.yml").write_text(text.replace("LAB progress", f"LAB progress {number}"))
    code = folder / "examples/BookDemo/BookDemo/More"
    code.mkdir()
    for number in range(1_000):
        lines = [f"struct Model{number} {{"] + [
            f"    var value{line}: String? {{ store[\"value{line}\"] as? String ?? fallback{line}() }}\n"
            f"    private func fallback{line}() -> String? {{ {line} % 2 == 0 ? nil : \"value\" }}" for line in range(40)
        ] + ["    let store: [String: Any]", "}", ""]
        (code / f"Model{number}.swift").write_text("\n".join(lines))


if __name__ == "__main__":
    command, task, rest = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    if task == "edits":
        edits(command, int(rest[0]) if rest else 1_000, int(rest[1]) if len(rest) > 1 else 1)
    elif task == "latency":
        latency(command, rest[0] if rest else None)
    elif task == "project":
        write_project(rest[0])
    else:
        sys.exit(__doc__)
