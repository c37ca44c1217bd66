# SPDX-License-Identifier: MIT
"""Renders the profiles of an export in Spark, and writes their records as Parquet with one report on all of them.

    spark-submit --files payloadgen --archives project.tar.gz#project --py-files records.py spark_job.py \\
        [--input-format FORMAT] [--max-failed 1%] INPUT OUTPUT -- \\
        ./payloadgen render project/CAMPAIGN --now TIME [OPTION...]

INPUT is what Spark's reader of the format takes: for text, the default, NDJSON, gzip included; for any other format of
files, such as parquet, tables with a column for each field of an export. OUTPUT must not exist.
"""
import argparse
import functools
import sys
import urllib.parse
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import SparkFiles
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

import records

SCHEMA = "kind string, file string, line long, id string, status string, record string"
TYPES = pa.schema([
    ("kind", pa.string()), ("file", pa.string()), ("line", pa.int64()), ("id", pa.string()), ("status", pa.string()),
    ("record", pa.string()),
])
BYTES_OF_BATCH = 4 << 20
CONFIGURATION = {
    # With version 1 of the committer files appear when the whole job has succeeded; with version 2 each task publishes
    # its own, and one that dies in between leaves some of them.
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "1",
    # _SUCCESS is written here, after the budget of failed records is checked.
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    # Both kinds of rows are written as they come; Spark would sort each part by kind.
    "spark.sql.maxConcurrentOutputFileWriters": "2",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(BYTES_OF_BATCH),
    # Times in tables are written by to_json, which must not depend on the machine.
    "spark.sql.session.timeZone": "UTC",
}


def source(spark: SparkSession, form: str, path: str) -> DataFrame:
    """The profiles as lines, each with its file and the block of that file in which Spark reads it."""
    if form == "text":
        # Only a newline ends a line, as in payloadgen.
        rows = spark.read.text(path, lineSep="\n")
        value = sf.col("value")
    else:
        rows = spark.read.format(form).load(path)
        value = sf.to_json(sf.struct("*"))
    return rows.select(
        value.alias("value"),
        sf.col("_metadata.file_path").alias("file"),
        sf.col("_metadata.file_block_start").alias("block"),
    )


def first_lines(lines: DataFrame) -> dict[tuple[str, int], int]:
    """The number of the first line of each block, which is known once the blocks before it are counted."""
    found: dict[tuple[str, int], int] = {}
    last, line = None, 1
    for file, block, count in lines.groupBy("file", "block").count().orderBy("file", "block").collect():
        if file != last:
            last, line = file, 1
        found[file, block] = line
        line += count
    return found


def shown(file: str) -> str:
    """A path where Spark has the URL of a local file."""
    parts = urllib.parse.urlsplit(file)
    return urllib.parse.unquote(parts.path) if parts.scheme == "file" else file


def blocks(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, int, list[bytes]]]:
    """The lines of the batches, cut where another block begins."""
    for batch in batches:
        values, files, starts = batch.columns
        count = len(batch)
        if count == 0:
            continue
        changed = pc.or_(
            pc.not_equal(files.slice(1), files.slice(0, count - 1)),
            pc.not_equal(starts.slice(1), starts.slice(0, count - 1)),
        )
        cuts = [0, *(index + 1 for index in pc.indices_nonzero(changed).to_pylist()), count]
        values = values.cast(pa.binary())
        for start, end in zip(cuts, cuts[1:]):
            yield files[start].as_py(), starts[start].as_py(), values.slice(start, end - start).to_pylist()


class Cursor:
    """Chunks of lines, one block after the other; a block is taken to its end before the next one begins."""

    def __init__(self, chunks: Iterator[tuple[str, int, list[bytes]]]) -> None:
        self.chunks = chunks
        self.next = next(chunks, None)

    def block(self) -> Iterator[list[bytes]]:
        key = self.next[:2]
        while self.next and self.next[:2] == key:
            chunk = self.next[2]
            self.next = next(self.chunks, None)
            yield chunk


def table(rows: list[records.Row], file: str) -> pa.RecordBatch:
    kinds, lines, ids, statuses, texts = zip(*rows)
    texts = pa.array(texts, pa.binary()).cast(pa.string())
    columns = [kinds, [file] * len(rows), lines, ids, statuses]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, TYPES)]
    return pa.record_batch([*arrays, texts], schema=TYPES)


def part(
    batches: Iterator[pa.RecordBatch],
    command: list[str],
    identity: tuple[str, ...],
    starts: dict[tuple[str, int], int],
) -> Iterator[pa.RecordBatch]:
    """Renders a part of the input: one child for each block of a file, as a child knows one file and its line."""
    folder = SparkFiles.getRootDirectory()
    records.check_worker(tuple(command), folder, identity)
    cursor = Cursor(blocks(batches))
    while cursor.next:
        file, start, _ = cursor.next
        if (file, start) not in starts:
            raise RuntimeError(f"{file}: Spark cut it in other blocks when its lines were counted")
        rows: list[records.Row] = []
        size = 0
        for row in records.render(command, folder, shown(file), starts[file, start], cursor.block()):
            rows.append(row)
            size += len(row.record)
            if size >= BYTES_OF_BATCH:
                yield table(rows, shown(file))
                rows, size = [], 0
        yield table(rows, shown(file))


def write(spark: SparkSession, path: str, data: bytes) -> None:
    """Writes a file where Spark writes its own."""
    target = spark.sparkContext._jvm.org.apache.hadoop.fs.Path(path)
    stream = target.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).create(target)
    stream.write(bytearray(data))
    stream.close()


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--input-format", default="text")
    parser.add_argument("--max-failed", type=records.Budget.parse, default=records.Budget.parse("1%"))
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    command = records.batch_command(arguments.command)
    builder = SparkSession.builder.appName("payloadgen")
    for key, value in CONFIGURATION.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    # The blocks of the input must be the same when they are counted and when they are rendered, whatever executors come.
    spark.conf.set("spark.sql.files.minPartitionNum", spark.sparkContext.defaultParallelism)
    try:
        folder = SparkFiles.getRootDirectory()
        empty = records.empty_part(command, folder)
        lines = source(spark, arguments.input_format, arguments.input)
        render = functools.partial(part, command=command, identity=records.identity(empty), starts=first_lines(lines))
        lines.mapInArrow(render, SCHEMA).write.partitionBy("kind").parquet(arguments.output)
        written = spark.read.schema(SCHEMA).parquet(arguments.output)
        counts = written.where("kind = 'counts'").orderBy("file", "line").select("record").collect()
        summary = records.merged(command, folder, [row.record.encode() for row in counts] or [empty])
        for name, data in summary.files().items():
            write(spark, f"{arguments.output}/{name}", data)
        print(summary.text, file=sys.stderr, flush=True)
        if excess := arguments.max_failed.excess(summary.numbers):
            raise SystemExit(f"error: {excess}")
        write(spark, f"{arguments.output}/_SUCCESS", b"")
    except RuntimeError as error:
        raise SystemExit(f"error: {error}") from error
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
