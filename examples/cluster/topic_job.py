# SPDX-License-Identifier: MIT
"""Renders the profiles that come on a topic of Kafka, one by one, into records on another topic.

    topic_job.py [--set NAME=VALUE...] SERVERS GROUP INPUT OUTPUT -- \\
        payloadgen render CAMPAIGN --now TIME [OPTION...]

One payloadgen process runs as long as the program does: a line goes in, and its record comes out at once. OUTPUT has as
many partitions as INPUT. A record has the key of its profile, goes to the partition with the same number, and has the
header `source` with the offset of its profile, so that OUTPUT itself says how far the work is: a program that takes over
a partition goes on after the profile of the last record there. --set sets what librdkafka's clients are configured with.
"""
import argparse
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

BATCH_OPTIONS = ["--profiles", "-", "--format", "record", "--jobs", "1"]
LINE = re.compile(rb'\{"id":(?:null|"(?:[^"\\]|\\.)*"),"line":(\d+),"status":"')
SHOWN_OF_STDERR = 4096
# How many profiles are written at once where many are waiting; a single one never waits for others.
MOST_AT_ONCE = 500
SECONDS_TO_ANSWER = 30


class Pending(NamedTuple):
    """A profile whose record has not come back."""

    partition: int
    offset: int
    key: bytes | None


class Child:
    """A payloadgen process that answers lines with records, in order.

    No queue is kept but the pipes: where nobody takes records, writing lines waits.
    """

    def __init__(self, command: list[str]) -> None:
        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*command, *BATCH_OPTIONS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, bufsize=0
        )

    def fail(self) -> None:
        """Raises what the child has said at its end."""
        self.process.kill()
        code = self.process.wait()
        self.said.seek(0)
        said = self.said.read().decode(errors="replace")[-SHOWN_OF_STDERR:]
        end = f"was ended by signal {-code}" if code < 0 else f"ended with {code}"
        raise RuntimeError(f"payloadgen {end}\n{said}")


class Job:
    """Profiles from one topic through a child to another topic."""

    def __init__(self, client: dict[str, str], group: str, source: str, target: str, command: list[str]) -> None:
        self.source, self.target, self.client = source, target, client
        self.child = Child(command)
        self.pending: deque[Pending] = deque()
        self.is_idle = threading.Condition()
        self.fault: BaseException | None = None
        self.is_ending = False
        # One producer in order; a record that cannot be delivered ends the program, as a later one would hide the gap.
        self.producer = Producer({
            **client, "enable.idempotence": True, "linger.ms": 1, "message.timeout.ms": 60_000,
        })
        self.consumer = Consumer({
            **client, "group.id": group, "enable.auto.commit": False, "auto.offset.reset": "earliest",
        })
        threading.Thread(target=self.take_records, daemon=True).start()

    # The partitions of this program

    def assigned(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        for partition in partitions:
            partition.offset = self.next_offset(partition.partition)
            print(f"partition {partition.partition} from offset {partition.offset}", file=sys.stderr, flush=True)
        consumer.assign(partitions)

    def revoked(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        # Whoever is next reads the last record of each partition: all of ours must be there.
        self.drain()

    def next_offset(self, partition: int) -> int:
        """The offset after the profile of the last record; of a program that was killed, the last delivered one."""
        reader = Consumer({**self.client, "group.id": "payloadgen-progress"})
        try:
            place = TopicPartition(self.target, partition)
            low, high = reader.get_watermark_offsets(place, timeout=30)
            if high == low:
                return reader.get_watermark_offsets(TopicPartition(self.source, partition), timeout=30)[0]
            reader.assign([TopicPartition(self.target, partition, high - 1)])
            last = reader.poll(30)
            if last is None or last.error():
                raise RuntimeError(f"cannot read the last record of {self.target}, partition {partition}")
            return int(dict(last.headers() or [])["source"]) + 1
        finally:
            reader.close()

    # From profiles to lines

    def run(self) -> None:
        self.consumer.subscribe([self.source], on_assign=self.assigned, on_revoke=self.revoked)
        try:
            while not self.is_ending:
                self.check()
                self.producer.poll(0)
                # Returns at once with what is there; waits only where there is nothing.
                first = self.consumer.poll(0.2)
                if first is not None:
                    self.send([first, *self.consumer.consume(MOST_AT_ONCE - 1, timeout=0)])
            self.drain()
        finally:
            self.consumer.close()

    def send(self, messages: list[Message]) -> None:
        lines = []
        for message in messages:
            if message.error():
                raise KafkaException(message.error())
            # Outside of strings a line break is white space, and within them JSON has none.
            line = (message.value() or b"").replace(b"\n", b" ").replace(b"\r", b" ")
            # A line of only blanks gives no record, also after a byte order mark.
            if line.removeprefix(b"\xef\xbb\xbf").strip(b" \t"):
                self.pending.append(Pending(message.partition(), message.offset(), message.key()))
                lines.append(line + b"\n")
        view = memoryview(b"".join(lines))
        try:
            while view:
                view = view[self.child.process.stdin.write(view):]
        except BrokenPipeError:
            self.child.fail()

    # From records to the other topic

    def take_records(self) -> None:
        try:
            count = 0
            rest = b""
            while data := self.child.process.stdout.read(1 << 16):
                *records, rest = (rest + data).split(b"\n")
                for record in records:
                    count += 1
                    line = LINE.match(record)
                    if not line or int(line[1]) != count:
                        raise RuntimeError(f"expected the record of line {count}, found {record[:SHOWN_OF_STDERR]!r}")
                    self.deliver(record, self.pending[0])
                    with self.is_idle:
                        self.pending.popleft()
                        self.is_idle.notify_all()
            self.child.fail()
        except BaseException as fault:
            self.fault = fault
            with self.is_idle:
                self.is_idle.notify_all()

    def deliver(self, record: bytes, profile: Pending) -> None:
        while True:
            try:
                return self.producer.produce(
                    self.target, record, profile.key, profile.partition, self.delivered,
                    headers=[("source", str(profile.offset).encode())],
                )
            except BufferError:
                # The broker is slower: nothing is read from the child until it has taken some.
                self.producer.poll(0.1)

    def delivered(self, error: KafkaError | None, message: Message) -> None:
        if error:
            self.fault = KafkaException(error)

    def drain(self) -> None:
        """Waits until every profile that was read has its record on the topic."""
        with self.is_idle:
            if not self.is_idle.wait_for(lambda: self.fault or not self.pending, SECONDS_TO_ANSWER):
                raise RuntimeError(f"payloadgen has not answered for {SECONDS_TO_ANSWER} s")
        if left := self.producer.flush(60):
            raise RuntimeError(f"{left} records could not be delivered")
        self.check()

    def check(self) -> None:
        if self.fault:
            raise self.fault

    def end(self, *_: object) -> None:
        self.is_ending = True


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    for name in ("servers", "group", "source", "target"):
        parser.add_argument(name)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    if not any(argument.split("=")[0] == "--now" for argument in arguments.command):
        raise SystemExit("error: without --now a program that takes over renders another time")
    client = {"bootstrap.servers": arguments.servers}
    client.update(setting.split("=", 1) for setting in arguments.set)
    job = Job(client, arguments.group, arguments.source, arguments.target, arguments.command)
    signal.signal(signal.SIGTERM, job.end)
    signal.signal(signal.SIGINT, job.end)
    try:
        job.run()
    except (RuntimeError, KafkaException) as fault:
        # Whoever starts the program starts it again; it then goes on after the last record.
        raise SystemExit(f"error: {fault}") from fault


if __name__ == "__main__":
    main()
