# SPDX-License-Identifier: MIT
"""Renders the profiles of an export in Spark, and writes their records as Parquet.

    spark-submit --py-files records.py render_job.py [--form arrow|pipe] INPUT OUTPUT -- \\
        payloadgen render CAMPAIGN --now TIME [OPTION...]

INPUT is what spark.read.text takes: NDJSON, gzip included. OUTPUT must not exist. The command and all that
it reads lie at the same path on every node.
"""
import argparse
import shlex
from collections.abc import Iterator
from itertools import islice

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

import records

SCHEMA = "partition int, position long, id string, status string, record string"
TYPES = pa.schema([
    ("partition", pa.int32()), ("position", pa.int64()), ("id", pa.string()), ("status", pa.string()),
    ("record", pa.string()),
])
ROWS_OF_BATCH = 10_000


def through_arrow(lines: DataFrame, command: list[str]) -> DataFrame:
    """Lines come as Arrow buffers, byte for byte, and one child renders a partition however many batches it has."""

    def partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        number = TaskContext.get().partitionId()
        ledger = records.Ledger()
        sent = ledger.sending(line for batch in batches for line in batch.column(0).cast(pa.binary()).to_pylist())
        rows = ledger.received(records.render(command, sent))
        while chunk := list(islice(rows, ROWS_OF_BATCH)):
            columns = [[number] * len(chunk), *zip(*chunk)]
            arrays = [pa.array(column, field.type) for column, field in zip(columns, TYPES)]
            yield pa.record_batch(arrays, schema=TYPES)

    return lines.mapInArrow(partition, SCHEMA)


def through_pipe(lines: DataFrame, command: list[str]) -> DataFrame:
    """The same with what RDDs bring along; the child's standard error goes to the executor's as well."""
    # Spark runs the three steps on each other in one process, so that both ends hold the same ledger, a fresh one in
    # every attempt. Were they ever parted, the receiving end would find a ledger that is not closed, and fail.
    ledger = records.Ledger()
    rows = (
        lines.rdd.map(lambda row: row[0])
        .mapPartitions(ledger.sending)
        .pipe(shlex.join(records.guarded(command)), checkCode=True)
        .mapPartitionsWithIndex(lambda number, found: ((number, *row) for row in ledger.received(found)))
    )
    return lines.sparkSession.createDataFrame(rows, SCHEMA)


FORMS = {"arrow": through_arrow, "pipe": through_pipe}


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--form", choices=FORMS, default="arrow")
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    command = records.batch_command(arguments.command)
    # With version 1 of the committer files appear when the whole job has succeeded; with version 2 each task publishes its
    # own, and one that dies in between leaves some of them.
    spark = (
        SparkSession.builder.appName("payloadgen")
        .config("spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version", "1")
        .getOrCreate()
    )
    # Only a newline ends a line, as in payloadgen; what is blank gives no record there.
    lines = spark.read.text(arguments.input, lineSep="\n").where(r"value rlike '[^ \\t\\r]'")
    FORMS[arguments.form](lines, command).write.parquet(arguments.output)
    spark.stop()


if __name__ == "__main__":
    main()
