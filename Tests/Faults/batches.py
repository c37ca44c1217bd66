# SPDX-License-Identifier: MIT
"""Cases of batches: kills and --resume, locks, pipes, closed descriptors, Ctrl-C, clashes of inputs and outputs."""

import gzip
import json
import os
import signal
import subprocess
import threading
import time

from harness import NOW, Skipped, case, expect

CAMPAIGN = """\
version: 1
push:
  title: "Hi {{ ${first_name} | default: 'you' }}"
  body: "{{ custom_attribute.${points} | plus: 1 }} points{% if ${user_id} == 'x' %}{% abort_message('x') %}{% endif %}"
  extras: {track: "{{ custom_attribute.${track} | upcase }}", id: "{{ ${user_id} | default: '' }}"}
"""


def profiles(count):
    lines = (
        json.dumps({"external_id": f"user-{n}", "first_name": f"名{n}", "custom_attributes": {"points": n, "track": "a" * 40}})
        for n in range(count)
    )
    return "".join(line + "\n" for line in lines).encode()


def batch(place, count, *further):
    """Writes a campaign and profiles, and gives the arguments of a batch over them."""
    place.write("c.campaign.yml", CAMPAIGN)
    place.write("p.ndjson", profiles(count))
    return ["render", "c.campaign.yml", "--profiles", "p.ndjson", *NOW, *further]


def large_batch(place, *further):
    """A batch of a second or so, its arguments, how long it takes, and what it writes."""
    arguments = batch(place, 2000, *further)
    seconds = place.seconds(*arguments, "--output", "whole.ndjson")
    count = max(2000, min(400_000, int(2000 * 0.8 / max(seconds - 0.1, 0.005))))
    place.write("p.ndjson", profiles(count))
    seconds = place.seconds(*arguments, "--output", "whole.ndjson")
    return arguments, seconds, place.read("whole.ndjson")


# Kills


def killed_batch(place):
    """A batch that was killed after some of its records: its arguments, and what the whole of it writes."""
    arguments, _, whole = large_batch(place)
    run = [*arguments, "--output", "out.ndjson"]
    partial = place.path("out.ndjson.partial")
    # On a busy machine the batch may end before it is killed.
    for _ in range(10):
        process = place.start(*run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not (partial.exists() and partial.stat().st_size > 100_000):
            time.sleep(0.005)
        process.kill()
        process.wait()
        if partial.exists():
            break
    expect(partial.exists(), "each of 10 batches ended before it was killed")
    return run, whole


@case
def a_batch_that_is_killed_and_resumed_gives_the_same_bytes(place):
    arguments, seconds, whole = large_batch(place)
    kills = 0
    for number in range(3 if place.is_short else 12):
        output = f"out-{number}.ndjson"
        place.write(output, "old\n")
        run = [*arguments, "--output", output, "--jobs", place.random.choice(["1", "2", "4"])]
        # The second kill hits a run that was resumed.
        for further in [[], ["--resume"]]:
            if place.read(output) == whole or not place.kill_after(place.random.uniform(0, seconds), *run, *further):
                break
            kills += 1
            # The kill may come when the output has its name already.
            expect(place.read(output) in (b"old\n", whole), "a killed batch left a torn output")
        if place.read(output) == b"old\n":
            place.run(*run, "--resume").ended(0)
        expect(place.read(output) == whole, f"kill {number}: other bytes after --resume")
        expect(not place.path(output + ".partial").exists(), "the partial file is left")
    expect(kills > 0, "no kill came in time")


@case
def a_batch_of_packed_profiles_that_is_killed_and_resumed_gives_the_same_bytes(place):
    arguments, seconds, whole = large_batch(place)
    place.write("p.ndjson.gz", gzip.compress(place.read("p.ndjson"), 1))
    run = [argument if argument != "p.ndjson" else "p.ndjson.gz" for argument in arguments] + ["--output", "out.ndjson"]
    for _ in range(2 if place.is_short else 6):
        if place.kill_after(place.random.uniform(0.1, 0.9) * seconds, *run):
            place.run(*run, "--resume").ended(0)
        lines = [json.loads(line) for line in place.read("out.ndjson").splitlines()]
        expect(lines == [json.loads(line) for line in whole.splitlines()], "other records after --resume")
        place.path("out.ndjson").unlink()


@case
def a_torn_line_at_the_end_of_a_partial_output_is_written_again(place):
    run, whole = killed_batch(place)
    place.write("out.ndjson.partial", place.read("out.ndjson.partial")[:-7])
    place.run(*run, "--resume").ended(0)
    expect(place.read("out.ndjson") == whole, "other bytes")


@case
def resume_after_success_changes_nothing_and_says_so(place):
    arguments = batch(place, 50, "--output", "out.ndjson")
    place.run(*arguments).ended(0)
    before = place.path("out.ndjson").stat()
    result = place.run(*arguments, "--resume").ended(0)
    expect(result.errors, "nothing was said")
    after = place.path("out.ndjson").stat()
    expect((before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns), "the output was written again")


@case
def resume_compares_an_input_that_was_touched_with_the_records(place):
    run, whole = killed_batch(place)
    os.utime(place.path("p.ndjson"), ns=(1_000_000_000_000_000_000, 1_000_000_000_000_000_000))
    place.run(*run, "--resume").ended(0).said("are rendered again")
    expect(place.read("out.ndjson") == whole, "other bytes after --resume")


@case
def resume_refuses_an_input_with_other_users_whatever_its_times(place):
    run, _ = killed_batch(place)
    path, old = place.path("p.ndjson"), place.path("p.ndjson").stat()
    # One digit of a user whose record is written, and not at an end of the file.
    content = place.read("p.ndjson")
    start = content.index(b'"points": 600')
    expect(1 << 16 < start < len(content) - (1 << 16), f"the user is at {start}")
    path.write_bytes(content[:start] + b'"points": 601' + content[start + 13 :])
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
    before = place.read("out.ndjson.partial")
    place.run(*run, "--resume").ended(65).said("line 601", "without --resume")
    expect(before.startswith(place.read("out.ndjson.partial")), "something was written")
    expect(not place.path("out.ndjson").exists(), "an output of two inputs has its name")


@case
def resume_of_a_whole_batch_writes_the_report(place):
    arguments = batch(place, 50, "--output", "out.ndjson")
    place.run(*arguments, "--report", "first.html").ended(0)
    before = place.path("out.ndjson").stat()
    place.run(*arguments, "--resume", "--report", "page.html").ended(0).said("rendered again for --report")
    expect(place.read("page.html") == place.read("first.html"), "another page")
    after = place.path("out.ndjson").stat()
    expect((before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns), "the output was written again")
    expect(place.names() == {"c.campaign.yml", "p.ndjson", "out.ndjson", "first.html", "page.html"}, f"{place.names()}")


@case
def resume_with_a_lone_partial_file_says_what_to_do(place):
    arguments = batch(place, 50, "--output", "out.ndjson")
    place.write("out.ndjson.partial", "{}\n")
    place.run(*arguments, "--resume").ended(65, 66).said("--resume")
    expect(place.read("out.ndjson.partial") == b"{}\n", "the partial file was changed")


# Locks


@case
def of_two_batches_with_one_output_the_second_is_refused(place):
    arguments = batch(place, 500)
    whole = place.run(*arguments).ended(0).output
    arguments[arguments.index("p.ndjson")] = "-"
    first = place.start(*arguments, "--output", "out.ndjson", stdin=subprocess.PIPE)
    first.stdin.write(place.read("p.ndjson")[:1000])
    first.stdin.flush()
    wait_for(lambda: place.path("out.ndjson.partial").exists(), first)
    for further in [[], ["--resume"]]:
        place.run(*batch(place, 500), "--output", "out.ndjson", *further).ended(74).said("out.ndjson")
    first.stdin.write(place.read("p.ndjson")[1000:])
    result = place.finish(first).ended(0)
    expect([json.loads(line)["id"] for line in place.read("out.ndjson").splitlines()], f"nothing written: {result}")
    expect(place.read("out.ndjson").count(b"\n") == whole.count(b"\n"), "the first batch is not whole")


def wait_for(condition, process):
    end = time.monotonic() + 60
    while not condition():
        expect(time.monotonic() < end and process.poll() is None, "the first process never came so far")
        time.sleep(0.005)


# Pipes


def feed(path, content, faults):
    """Writes into a named pipe; what goes wrong is kept."""

    def work():
        try:
            with open(path, "wb") as pipe:
                for start in range(0, len(content), 4096):
                    pipe.write(content[start : start + 4096])
        except OSError as error:
            faults.append(str(error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def piped(place, content, name):
    arguments = batch(place, 1000)
    whole = place.run(*arguments).ended(0).output
    os.mkfifo(place.path(name))
    arguments[arguments.index("p.ndjson")] = name
    faults = []
    thread = feed(place.path(name), content(place.read("p.ndjson")), faults)
    result = place.run(*arguments, patience=20).ended(0)
    thread.join(5)
    expect(not faults, f"the writer died: {faults}")
    expect(result.output == whole, f"{result.output.count(b'%c' % 10)} records of {whole.count(b'%c' % 10)}")


@case
def profiles_come_whole_through_a_named_pipe(place):
    piped(place, lambda content: content, "fifo.ndjson")


@case
def packed_profiles_come_whole_through_a_named_pipe(place):
    piped(place, gzip.compress, "fifo.ndjson.gz")


@case
def profiles_come_whole_through_a_substituted_process(place):
    batch(place, 1000)
    line = f"$P render c.campaign.yml --profiles <(cat p.ndjson) {' '.join(NOW)} | wc -l"
    expect(place.shell(line).ended(0).output.strip() == b"1000", "lines were lost")


@case
def one_profile_comes_through_a_substituted_process(place):
    batch(place, 1)
    result = place.shell(f"$P render c.campaign.yml --profile <(cat p.ndjson) {' '.join(NOW)}").ended(0)
    expect("名0".encode() in result.output, result)


@case
def a_closed_pipe_ends_quietly(place):
    batch(place, 20000)
    render = f"render c.campaign.yml --rule campaign-without-app=off --profiles p.ndjson {' '.join(NOW)}"
    for command in [render, "rules", "attributes"]:
        result = place.shell(f"set -o pipefail; $P {command} | head -1")
        expect(result.status == 0 and not result.errors, f"{command}: {result}")


# Closed descriptors


@case
def closed_standard_input_ends_at_once(place):
    batch(place, 1)
    for line in [
        f"$P render c.campaign.yml --profiles - {' '.join(NOW)} <&-", "$P eval - <&-", "$P simulate - <&-",
        f"$P render c.campaign.yml --profile - {' '.join(NOW)} <&-", "$P render - <&-",
    ]:
        place.shell(line, patience=15).ended(64, 65, 66)


@case
def closed_standard_output_is_an_error(place):
    batch(place, 10)
    batch_line = f"$P render c.campaign.yml --profiles p.ndjson {' '.join(NOW)} >&-"
    for line in [batch_line, "$P eval hello >&-", "$P rules >&-", "$P lint c.campaign.yml >&-", "$P test c.campaign.yml >&-"]:
        place.shell(line).ended(74)


@case
def messages_never_go_into_an_output_that_took_the_number_of_a_closed_stream(place):
    # Every profile warns, and one fails.
    arguments = batch(place, 100)
    with open(place.path("p.ndjson"), "ab") as file:
        file.write(b"broken\n")
    whole = place.run(*arguments).ended(2).output
    for number, closed in enumerate(["2>&-", ">&- 2>&-", "<&- >&- 2>&-", ">&-", "<&-"]):
        line = f"$P {' '.join(arguments)} --summary text --output out{number} --report page{number} {closed}"
        place.shell(line, patience=20).ended(2)
        expect(place.read(f"out{number}") == whole, f"other bytes with {closed}")
        expect(place.read(f"page{number}").lstrip().lower().startswith(b"<!doctype"), f"another page with {closed}")


# Devices and folders


@case
def a_device_or_a_folder_where_a_file_belongs_is_refused(place):
    batch(place, 1)
    place.path("folder").mkdir()
    for thing in ["/dev/zero", "/dev/urandom", "folder"]:
        for line in [
            f"$P render {thing} --profile p.ndjson",
            f"$P render c.campaign.yml --profile {thing}",
            f"$P render c.campaign.yml --profile p.ndjson --context {thing}",
            f"$P render c.campaign.yml --profile p.ndjson --trigger-properties {thing}",
            f"$P eval @{thing}",
            f"$P simulate {thing}",
            f"$P track --defaults {thing} --braze-id a",
            f"$P render c.campaign.yml --profiles {thing}",
            f"$P lint --baseline {thing} c.campaign.yml",
        ]:
            place.shell("ulimit -v 4000000; " + line, patience=15).ended(64, 65, 66, 78)


# Ctrl-C


@case
def ctrl_c_ends_a_batch_after_a_whole_line_and_it_can_be_resumed(place):
    arguments, seconds, whole = large_batch(place)
    run = [*arguments, "--output", "out.ndjson"]
    for _ in range(2 if place.is_short else 5):
        process = place.start(*run)
        time.sleep(place.random.uniform(0.3, 0.8) * seconds)
        process.send_signal(signal.SIGINT)
        status = place.finish(process, patience=20).ended(130, 0, -signal.SIGINT).status
        if status == 130 and place.path("out.ndjson.partial").exists():
            partial = place.read("out.ndjson.partial")
            expect(whole.startswith(partial) and partial[-1:] in (b"\n", b""), "the last line is torn")
            place.run(*run, "--resume").ended(0)
        elif not place.path("out.ndjson").exists():
            continue
        expect(place.read("out.ndjson") == whole, "other bytes after Ctrl-C and --resume")
        place.path("out.ndjson").unlink()


def slow_batch(place, count):
    """A batch in which each user takes a part of a second."""
    arguments = batch(place, count)
    loop = "{% for i in (1..N) %}{% assign x = i | times: 7 | upcase | size %}{% endfor %}{{ ${first_name} }}"
    rounds = 200
    while True:
        text = loop.replace("N", str(rounds))
        place.write("c.campaign.yml", f'version: 1\npush: {{title: "{text}"}}\n')
        seconds = place.seconds(*arguments, "--jobs", "1") / count
        if seconds > 0.05 or rounds > 200_000:
            return arguments
        rounds *= 2


@case
def ctrl_c_ends_a_slow_batch_at_once_with_the_records_that_are_complete(place):
    arguments = slow_batch(place, 10)
    # Three blocks, of which two are rendered at once.
    place.write("p.ndjson", profiles(6000))
    for output in ["out.ndjson", "-"]:
        process = place.start(*arguments, "--jobs", "2", "--output", output)
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        result = place.finish(process, patience=30).ended(130)
        # Each of the three blocks takes more than a minute.
        expect(time.monotonic() - start < 4, f"{output}: ended after {time.monotonic() - start} seconds")
        written = result.output if output == "-" else place.read("out.ndjson.partial")
        ids = [json.loads(line)["id"] for line in written.splitlines()]
        expect(written.endswith(b"\n") and ids, f"{output}: no record was written")
        expect(ids == [f"user-{number}" for number in range(len(ids))], f"{output}: another order: {ids}")


@case
def the_second_ctrl_c_ends_a_batch_whose_output_is_blocked(place):
    process = place.start(*batch(place, 50000))
    process.stdout.read(1)
    time.sleep(0.5)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    try:
        status = process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        status = None
    process.stdout.close()
    process.stderr.close()
    process.wait()
    expect(status in (130, -signal.SIGINT), f"expected exit 130, found {status}")


@case
def ctrl_c_ends_a_batch_that_waits_for_input(place):
    arguments = batch(place, 1)
    arguments[arguments.index("p.ndjson")] = "-"
    process = place.start(*arguments, "--output", "out", stdin=subprocess.PIPE)
    wait_for(lambda: place.path("out.partial.json").exists(), process)
    process.send_signal(signal.SIGINT)
    try:
        status = process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        status = None
    process.communicate()
    expect(status == 130, f"expected exit 130, found {status}")


@case
def a_batch_that_the_system_ends_leaves_nothing_but_its_partial_output(place):
    for number in [signal.SIGTERM, signal.SIGHUP]:
        arguments = batch(place, 1)
        arguments[arguments.index("p.ndjson")] = "-"
        process = place.start(*arguments, "--output", "out", "--report", "page", stdin=subprocess.PIPE)
        wait_for(lambda: place.path("out.partial.json").exists(), process)
        process.send_signal(number)
        try:
            status = process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            status = None
        process.communicate()
        expect(status == -number, f"expected the end by signal {number}, found {status}")
        expect(place.names() == {"c.campaign.yml", "p.ndjson", "out.partial", "out.partial.json"}, f"{place.names()}")


# Clashes


@case
def two_outputs_that_are_one_file_are_refused(place):
    arguments = batch(place, 20)
    place.path("folder").mkdir()
    os.symlink("folder", place.path("other"))
    os.symlink("o2", place.path("link"))
    for output, report in [
        ("o", "./o"), ("folder/o", "other/o"), ("link", "o2"), ("o", "o.partial"), ("o", "o.partial.json"), ("o", "o"),
    ]:
        place.run(*arguments, "--output", output, "--report", report).ended(64).said("the same file")
    place.shell(f"$P {' '.join(arguments)} --output /dev/fd/3 3>>p.ndjson").ended(64)
    place.shell(f"$P {' '.join(arguments)} --output out --report /dev/fd/3 3<>c.campaign.yml").ended(64)
    for line in [
        "--format json=c.campaign.yml", "--write-baseline c.campaign.yml", "--format json=r --format sarif=./r",
        "--format json=r --write-baseline r",
    ]:
        place.shell("$P lint c.campaign.yml " + line).ended(64)
    expect(place.read("c.campaign.yml").startswith(b"version"), "the campaign was replaced")


@case
def one_file_of_profiles_gives_each_user_one_message(place):
    arguments = batch(place, 3)
    place.path("d").mkdir()
    place.write("d/2026.ndjson", place.read("p.ndjson"))
    place.write("d/2026.ndjson~", place.read("p.ndjson"))
    os.symlink("2026.ndjson", place.path("d/latest.ndjson"))
    os.symlink("2026.ndjson", place.path("d/a.ndjson"))
    os.link(place.path("d/2026.ndjson"), place.path("d/z.ndjson"))
    arguments[arguments.index("p.ndjson")] = "d"
    result = place.run(*arguments).ended(0).said("left out")
    expect(result.output.count(b"\n") == 3, f"expected 3 records, found {result}")
    place.run(*arguments, "--profiles", "d/2026.ndjson").ended(64).said("the same file")
    os.symlink("nowhere", place.path("d/broken.ndjson"))
    place.run(*arguments).ended(66).said("broken.ndjson")
    os.unlink(place.path("d/broken.ndjson"))
    os.mkfifo(place.path("d/pipe.ndjson"))
    place.run(*arguments, patience=15).ended(65).said("pipe.ndjson")


@case
def an_output_that_is_an_input_is_refused(place):
    arguments = batch(place, 20)
    before = {name: place.read(name) for name in place.names()}
    for name in ["p.ndjson", "c.campaign.yml", "./p.ndjson"]:
        for option in ["--output", "--report"]:
            if option == "--report" and name.endswith("yml"):
                continue
            result = place.run(*arguments, option, name)
            expect(result.status not in (0, 2), f"{option} {name}: {result}")
            after = {name: place.read(name) for name in place.names()}
            expect(after == before, f"{option} {name}: files changed, {sorted(set(after) ^ set(before))}")
    result = place.run(*arguments, "--report", "c.campaign.yml")
    expect(result.status not in (0, 2) and place.read("c.campaign.yml") == before["c.campaign.yml"], result)


@case
def an_output_that_is_an_input_under_another_name_is_refused(place):
    arguments = batch(place, 20)
    before = place.read("p.ndjson")
    os.link(place.path("p.ndjson"), place.path("hard.ndjson"))
    os.symlink("p.ndjson", place.path("soft.ndjson"))
    for name in ["hard.ndjson", "soft.ndjson"]:
        result = place.run(*arguments, "--output", name)
        expect(result.status not in (0, 2), f"--output {name}: {result}")
        expect(place.read("p.ndjson") == before, f"--output {name}: the input changed")


@case
def a_partial_output_that_is_an_input_is_refused(place):
    arguments = batch(place, 20)
    os.rename(place.path("p.ndjson"), place.path("out.partial"))
    before = place.read("out.partial")
    arguments[arguments.index("p.ndjson")] = "out.partial"
    result = place.run(*arguments, "--output", "out", patience=20)
    expect(result.status not in (0, 2), result)
    expect(place.read("out.partial") == before, "the input changed")


@case
def standard_output_that_is_an_input_is_refused(place):
    batch(place, 20)
    place.path("d").mkdir()
    os.rename(place.path("p.ndjson"), place.path("d/p.ndjson"))
    before = place.read("d/p.ndjson")
    start = f"ulimit -f 2000; trap '' XFSZ; $P render c.campaign.yml {' '.join(NOW)} --profiles"
    for end in ["d >> d/p.ndjson", "d/p.ndjson >> d/p.ndjson", "d > d/out.ndjson"]:
        result = place.shell(f"{start} {end}", patience=20)
        expect(result.status not in (0, 2), f"{end}: {result}")
        expect(place.read("d/p.ndjson") == before, f"{end}: the input changed")


@case
def an_output_in_a_folder_of_profiles_is_refused(place):
    batch(place, 20)
    place.path("d").mkdir()
    os.rename(place.path("p.ndjson"), place.path("d/p.ndjson"))
    result = place.run("render", "c.campaign.yml", *NOW, "--profiles", "d", "--output", "d/out.ndjson", limit=1 << 20)
    expect(result.status not in (0, 2), result)
    expect(place.names("d") == {"p.ndjson"}, f"files were left: {place.names('d')}")


@case
def one_path_for_output_and_report_is_refused(place):
    result = place.run(*batch(place, 5), "--output", "same", "--report", "same")
    expect(result.status not in (0, 2), result)


@case
def records_are_no_profiles(place):
    records = place.run(*batch(place, 5), "--output", "records.ndjson").ended(0)
    result = place.run("render", "c.campaign.yml", *NOW, "--profiles", "records.ndjson").ended(2)
    statuses = [json.loads(line)["status"] for line in result.output.splitlines()]
    expect(statuses == ["failed"] * 5, f"{statuses} {records}")


# Full disks


@case
def a_batch_on_a_full_disk_ends_with_74_and_keeps_the_old_output(place):
    arguments = batch(place, 3000)
    with place.full_disk("disk", "256k"):
        place.write("disk/out.ndjson", "old\n")
        place.run(*arguments, "--output", "disk/out.ndjson").ended(74).said("out.ndjson")
        expect(place.read("disk/out.ndjson") == b"old\n", "the old output changed")


@case
def a_batch_that_filled_the_disk_is_resumed_once_there_is_room(place):
    arguments = batch(place, 3000)
    whole = place.run(*arguments).ended(0).output
    run = [*arguments, "--output", "out.ndjson"]
    place.run(*run, limit=100_000).ended(74)
    expect(not place.path("out.ndjson").exists(), "an output that is not whole has its name")
    place.run(*run, "--resume").ended(0)
    expect(place.read("out.ndjson") == whole, "other bytes after --resume")


@case
def a_page_on_a_full_disk_ends_with_74(place):
    arguments = batch(place, 300)
    with place.full_disk("disk", "16k"):
        place.write("disk/page.html", "old\n")
        place.run(*arguments, "--report", "disk/page.html").ended(74).said("page.html")
        expect(place.read("disk/page.html") == b"old\n", "the old page changed")
        expect(place.names("disk") == {"page.html"}, f"files were left: {place.names('disk')}")


@case
def standard_output_on_a_full_disk_is_an_error(place):
    if not os.path.exists("/dev/full"):
        raise Skipped("this machine has no /dev/full")
    batch(place, 10)
    place.copy("examples/scenarios/stack.yml")
    place.copy("examples/BookDemo")
    for line in [
        f"render c.campaign.yml --profiles p.ndjson {' '.join(NOW)}", f"render c.campaign.yml --profile p.ndjson {' '.join(NOW)}",
        "eval hello", "rules", "explain empty-key", "attributes", "lint c.campaign.yml", "lint --format json .",
        "test c.campaign.yml", "simulate examples/scenarios/stack.yml", "app examples/BookDemo", "--help", "--version",
    ]:
        place.shell(f"head -1 p.ndjson > q; mv q p.ndjson; $P {line} > /dev/full").ended(74)
