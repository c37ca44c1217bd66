# SPDX-License-Identifier: MIT
"""Holds the topic job to one payloadgen process, with each side of it killed in the middle.

    check_topic.py PAYLOADGEN PROFILES FOLDER

The broker is librdkafka's own for tests, in a process of its own: it speaks Kafka's protocol and keeps messages in memory,
so that it alone is stopped for a while instead of being killed. The exit code is 1 where anything differs, or where what
should have been killed was not.
"""
import collections
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from confluent_kafka import Consumer, Producer, TopicPartition

HERE = pathlib.Path(__file__).parent
CAMPAIGN = [
    "templates/lab-progress.campaign.yml", "--trigger-properties", "examples/trigger/lab-progress.json",
    "--now", "2026-11-20T09:00:00Z",
]
PARTITIONS = 4
# A real broker answers as soon as there is a message; that of librdkafka waits for this time.
CLIENT = {"fetch.wait.max.ms": "2", "session.timeout.ms": "6000", "heartbeat.interval.ms": "1000"}
VICTIMS = ("nothing", "payloadgen", "job", "broker")
LINE = re.compile(rb'"line":\d+,')
BROKER = """
import sys, time
from confluent_kafka import Producer
producer = Producer({"test.mock.num.brokers": 1, "log_level": 0})
for name in sys.argv[1:]:
    for topic in ("users", "records"):
        # Asking for a topic makes it, with four partitions.
        producer.list_topics(f"{name}-{topic}", timeout=10)
print(next(iter(producer.list_topics(timeout=10).brokers.values())), flush=True)
sys.stdin.read()
"""


def record(line: bytes) -> bytes:
    return LINE.sub(b"", line)


class Broker:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", BROKER, "single", *VICTIMS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.servers = self.process.stdout.readline().strip().split("/")[0]


class Output:
    """Reads the records of the output topic."""

    def __init__(self, servers: str, topic: str) -> None:
        self.consumer = Consumer({**CLIENT, "bootstrap.servers": servers, "group.id": "check"})
        self.consumer.assign([TopicPartition(topic, partition, 0) for partition in range(PARTITIONS)])
        self.sources: collections.Counter = collections.Counter()
        self.order: dict[int, list[int]] = collections.defaultdict(list)
        self.records: collections.Counter = collections.Counter()

    def read(self, seconds: float) -> int:
        for message in self.consumer.consume(5_000, seconds):
            if message.error():
                raise RuntimeError(message.error())
            source = int(dict(message.headers())["source"])
            self.sources[message.partition(), source] += 1
            self.order[message.partition()].append(source)
            self.records[record(message.value())] += 1
        return self.sources.total()


def start(servers: str, name: str, payloadgen: str, log: pathlib.Path) -> subprocess.Popen:
    with open(log, "ab") as file:
        return subprocess.Popen(
            [sys.executable, "-B", HERE / "topic_job.py", *(f"--set={name}={value}" for name, value in CLIENT.items()), servers, f"{name}-group", f"{name}-users", f"{name}-records", "--",
             payloadgen, "render", *CAMPAIGN],
            stdout=file, stderr=file,
        )


def child(job: subprocess.Popen) -> int | None:
    with contextlib.suppress(OSError):
        for entry in pathlib.Path(f"/proc/{job.pid}/task").iterdir():
            for child in (entry / "children").read_text().split():
                return int(child)
    return None


def latency(servers: str, payloadgen: str, lines: list[bytes], folder: pathlib.Path) -> tuple[list[float], bool]:
    """How long each of some single profiles takes through both topics, in milliseconds."""
    job = start(servers, "single", payloadgen, folder / "single.log")
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 0})
    output = Output(servers, "single-records")
    times = []
    try:
        for number, line in enumerate(lines):
            begin = time.monotonic()
            producer.produce("single-users", line, partition=number % PARTITIONS)
            producer.flush(10)
            while output.read(0.001) <= number:
                if time.monotonic() - begin > 60:
                    return times, False
            times.append((time.monotonic() - begin) * 1_000)
    finally:
        job.terminate()
        job.wait()
        output.consumer.close()
    return sorted(times[10:]), job.returncode == 0


def run(
    servers: str,
    victim: str,
    payloadgen: str,
    lines: list[bytes],
    broker: Broker,
    expected: collections.Counter,
    folder: pathlib.Path,
) -> tuple[str, bool]:
    """The row of a table for one run, and whether it is as it should be."""
    name = victim
    log = folder / f"topic-{name}.log"
    log.unlink(missing_ok=True)
    producer = Producer({"bootstrap.servers": servers})

    def send(fifths: range) -> None:
        for number in range(len(lines) * fifths.start // 5, len(lines) * fifths.stop // 5):
            producer.produce(f"{name}-users", lines[number], key=b"%d" % number, partition=number % PARTITIONS)
            if number % 1_000 == 0:
                producer.flush(30)
        producer.flush(30)

    # The job is faster than this process sees: users that arrive just before a kill keep it in their middle.
    sent = 5 if victim == "nothing" else 2
    send(range(sent))
    output = Output(servers, f"{name}-records")
    begin = time.monotonic()
    job = start(servers, name, payloadgen, log)
    kills = 0
    codes = []
    done = 0
    try:
        while done < len(lines) and time.monotonic() - begin < 300:
            done = output.read(0.05)
            if victim != "nothing" and kills < 3 and len(lines) * (kills + 1) / 5 < done < len(lines):
                if sent == kills + 2:
                    send(range(sent, sent + 1))
                    sent += 1
                if victim == "broker":
                    os.kill(broker.process.pid, signal.SIGSTOP)
                    time.sleep(3)
                    os.kill(broker.process.pid, signal.SIGCONT)
                    kills += 1
                else:
                    target = job.pid if victim == "job" else child(job)
                    if target:
                        os.kill(target, signal.SIGKILL)
                        kills += 1
                        job.wait(30)  # Without its child the job ends by itself.
            if job.poll() is not None:
                codes.append(job.returncode)
                # What supervises a service does this.
                job = start(servers, name, payloadgen, log)
        seconds = time.monotonic() - begin
        # Nothing more may come.
        time.sleep(1)
        done = output.read(1)
    finally:
        job.terminate()
        job.wait()
        output.consumer.close()
    codes.append(job.returncode)
    lost = (expected - output.records).total()
    doubled = sum(count - 1 for count in output.sources.values())
    other = (output.records - expected).total() - doubled
    inorder = all(order == sorted(order) for order in output.order.values())
    text = f"{name:24}{done:9,}{lost:6}{doubled:9}{max(0, other):13}{kills:7}{seconds:9.1f}  {codes}"
    fine = not lost and not doubled and other <= 0 and inorder and codes[-1] == 0 and bool(kills) == (victim != "nothing")
    return text, fine


def main(payloadgen: str, profiles: str, folder: pathlib.Path) -> int:
    lines = pathlib.Path(profiles).read_bytes().splitlines()
    single = subprocess.run(
        [payloadgen, "render", *CAMPAIGN, "--profiles", profiles, "--format", "record"], capture_output=True, check=True
    )
    expected = collections.Counter(map(record, single.stdout.splitlines()))
    broker = Broker()
    results = []
    times, ended = latency(broker.servers, payloadgen, lines[:210], folder)
    print(f"one profile through both topics: {times[len(times) // 2]:.1f} ms in the middle, "
          f"{times[-len(times) // 20]:.1f} ms at the 95th percentile of {len(times)}", flush=True)
    try:
        for victim in VICTIMS:
            results.append(run(broker.servers, victim, payloadgen, lines, broker, expected, folder))
            print(results[-1][0], flush=True)
    finally:
        broker.process.kill()
    print(f"\n{'what is killed':24}{'records':>9}{'lost':>6}{'doubled':>9}{'other bytes':>13}{'kills':>7}{'seconds':>9}"
          "  exit codes")
    for text, _ in results:
        print(text)
    return 0 if ended and all(fine for _, fine in results) else 1


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])))
