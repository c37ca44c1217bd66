# SPDX-License-Identifier: MIT
"""Cases of files that are written or only read: kills, full disks, links, permissions, pipes in folders."""

import json
import os
import plistlib
import stat

from batches import CAMPAIGN, batch, profiles
from harness import NOW, case, expect

BROKEN_PLIST = """\
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>NSExtension</key><dict>
<key>NSExtensionAttributes</key><dict>
<key>UNNotificationExtensionCategory</key><string>lab</string>
<key>UNNotificationExtensionInitialContentSizeRatio</key><real>1</real>
<key>UNNotificationExtensionUserInteractionEnabled</key><string>YES</string>
</dict>
<key>NSExtensionMainStoryboard</key><string>MainInterface</string>
<key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.content-extension</string>
</dict></dict></plist>
"""
FIXED_PLIST = BROKEN_PLIST.replace("<string>YES</string>", "<true/>")

SNAPSHOT_CAMPAIGN = """\
version: 1
push: {title: Hi, body: You}
tests: [{name: one, expect: {snapshot: true}}]
"""


def preferences(place, count, name="group.plist"):
    """Writes preferences with events of which none is like another but in pairs."""
    events = [{"event_name": f"Played {n // 2}"} for n in range(count)]
    content = {"pending_custom_events": events, "kept": [True, 1.0, 2**64 - 1]}
    return place.write(name, plistlib.dumps(content, fmt=plistlib.FMT_BINARY))


def pending(place, name="group.plist"):
    return plistlib.loads(place.read(name)).get("pending_custom_events", [])


def track(place, *further, name="group.plist"):
    return place.run("track", "--defaults", name, *further)


# Threads


@case
def many_broken_plists_are_read_at_once(place):
    count = 400
    for number in range(count):
        place.write(f"App/Ext{number}/Info.plist", "<plist><dict></plist>")
    place.write(".payloadgen.yml", "version: 1\n")
    place.write("lab.campaign.yml", "version: 1\npush: {category: lab, body: Hi}\n")
    place.write("ana.json", '{"external_id": "ana"}')
    for _ in range(2 if place.is_short else 200):
        place.run("lint", ".", "--format", "json").ended(1)
        place.run("render", "lab.campaign.yml", "--profile", "ana.json", "--app", "App").ended(1, 65)


# Kills


@case
def a_killed_fix_leaves_each_file_whole(place):
    count = 60
    for number in range(count):
        place.write(f"Ext{number}/Info.plist", BROKEN_PLIST)
    seconds = place.seconds("lint", "--fix", "--dry-run", ".")
    for _ in range(4 if place.is_short else 12):
        for number in range(count):
            place.write(f"Ext{number}/Info.plist", BROKEN_PLIST)
        place.kill_after(place.random.uniform(0.3, 2.5) * seconds, "lint", "--fix", ".")
        for number in range(count):
            content = place.read(f"Ext{number}/Info.plist").decode()
            expect(content in (BROKEN_PLIST, FIXED_PLIST), f"a torn file of {len(content)} bytes")
    place.run("lint", "--fix", ".").ended(0, 1)
    expect(all(place.read(f"Ext{n}/Info.plist").decode() == FIXED_PLIST for n in range(count)), "not all are fixed")


@case
def a_killed_acknowledgement_of_preferences_loses_nothing(place):
    count = 1500
    preferences(place, count)
    lines = track(place, "--braze-id", "a", "--limit", "75").ended(0).output.splitlines(keepends=True)
    removed = 0
    for line in lines[: 4 if place.is_short else 12]:
        place.write("sent.ndjson", line)
        seconds = 0.02 + place.random.uniform(0, 0.3)
        place.kill_after(seconds, "track", "--defaults", "group.plist", "--acknowledge", "sent.ndjson")
        expect(len(pending(place)) in (count - removed, count - removed - 75), f"{len(pending(place))} events are left")
        track(place, "--acknowledge", "sent.ndjson").ended(0)
        removed += 75
        expect(len(pending(place)) == count - removed, f"{len(pending(place))} events are left, not {count - removed}")
    expect(plistlib.loads(place.read("group.plist"))["kept"] == [True, 1.0, 2**64 - 1], "other values changed")


def store(place, count):
    place.path("store/quarantine").mkdir(parents=True)
    for number in range(count):
        id = f"00000000-0000-0000-0000-{number:012X}"
        record = {
            "v": 1, "id": id, "time": "2026-11-20T09:00:00.000Z", "kind": "event", "name": f"Played {number}",
            "properties": {},
        }
        place.write(f"store/{number:016x}-{id}.json", json.dumps(record))


@case
def a_killed_acknowledgement_of_a_store_loses_nothing(place):
    store(place, 600)
    lines = place.run("track", "--store", "store", "--braze-id", "a").ended(0).output.splitlines(keepends=True)
    removed = 0
    for line in lines:
        place.write("sent.ndjson", line)
        arguments = ["track", "--store", "store", "--acknowledge", "sent.ndjson"]
        place.kill_after(0.02 + place.random.uniform(0, 0.1), *arguments)
        place.run(*arguments).ended(0)
        removed += 75
        left = [name for name in place.names("store") if name.endswith(".json")]
        expect(len(left) == 600 - removed, f"{len(left)} records are left, not {600 - removed}")


# Locks


@case
def acknowledgements_at_the_same_time_remove_their_own_lines_alone(place):
    preferences(place, 750)
    lines = track(place, "--braze-id", "a").ended(0).output.splitlines(keepends=True)
    expect(len(lines) == 10, f"{len(lines)} requests")
    for start in range(0, 8, 4):
        processes = []
        for number in range(start, start + 4):
            place.write(f"sent-{number}.ndjson", lines[number])
            processes.append(place.start("track", "--defaults", "group.plist", "--acknowledge", f"sent-{number}.ndjson"))
        for process in processes:
            place.finish(process).ended(0)
    expect(len(pending(place)) == 150, f"{len(pending(place))} events are left, not 150")


@case
def a_line_that_is_acknowledged_twice_removes_nothing_else(place):
    place.write("group.plist", plistlib.dumps({"pending_custom_events": [{"event_name": "Same"}] * 150}))
    lines = track(place, "--braze-id", "a").ended(0).output.splitlines(keepends=True)
    for line, left in [(lines[0], 75), (lines[0], 75), (lines[1], 0), (lines[0], 0)]:
        place.write("sent.ndjson", line)
        track(place, "--acknowledge", "sent.ndjson").ended(0, 65)
        expect(len(pending(place)) == left, f"{len(pending(place))} events are left, not {left}")


# Full disks


def on_full_disk(place, room, prepare, *arguments, name):
    """Runs a command that replaces a file on a disk without room, and expects 74 and the old file."""
    with place.full_disk("disk", "256k") as disk:
        prepare(disk)
        before = {path: place.read(f"disk/{path}") for path in place.names("disk") if path != "filler"}
        free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        place.write("disk/filler", b"x" * max(0, free - room))
        result = place.run(*arguments, cwd=disk).ended(74).said(name)
        after = {path: place.read(f"disk/{path}") for path in place.names("disk") if path != "filler"}
        expect(after == before, f"files changed: {sorted(set(after) ^ set(before)) or 'contents'}, {result}")


@case
def fixes_on_a_full_disk_keep_the_old_file(place):
    def prepare(disk):
        place.write("disk/Info.plist", BROKEN_PLIST.replace("lab", "lab" * 3000))

    on_full_disk(place, 0, prepare, "lint", "--fix", "Info.plist", name="Info.plist")


@case
def a_report_on_a_full_disk_keeps_the_old_one(place):
    def prepare(disk):
        place.write("disk/Info.plist", BROKEN_PLIST)
        place.write("disk/out.sarif", "old\n")

    on_full_disk(place, 4096, prepare, "lint", "--format", "sarif=out.sarif", ".", name="out.sarif")


@case
def a_baseline_on_a_full_disk_keeps_the_old_one(place):
    def prepare(disk):
        for number in range(10):
            place.write(f"disk/{number}/Info.plist", BROKEN_PLIST)
        place.write("disk/baseline.json", '{"version":1,"findings":[]}\n')

    on_full_disk(place, 0, prepare, "lint", "--write-baseline", "baseline.json", ".", name="baseline.json")


@case
def a_payload_on_a_full_disk_keeps_the_old_one(place):
    def prepare(disk):
        place.write("disk/c.campaign.yml", CAMPAIGN.replace("points{%", "x" * 3000 + "{%"))
        place.write("disk/p.json", profiles(1))
        place.write("disk/out.json", "old\n")

    arguments = ["render", "c.campaign.yml", "--profile", "p.json", *NOW, "--output", "out.json"]
    on_full_disk(place, 0, prepare, *arguments, name="out.json")


@case
def snapshots_on_a_full_disk_keep_the_old_ones(place):
    def prepare(disk):
        place.write("disk/c.campaign.yml", SNAPSHOT_CAMPAIGN.replace("You", "x" * 3000))
        place.write("disk/c.snapshots/one.json", "{}\n")

    on_full_disk(place, 0, prepare, "test", "--update", "c.campaign.yml", name="one.json")


@case
def a_first_project_on_a_full_disk_is_an_error(place):
    on_full_disk(place, 0, lambda disk: None, "init", ".", name="cannot write")


@case
def an_acknowledgement_on_a_full_disk_keeps_the_preferences(place):
    preferences(place, 750)
    place.write("sent.ndjson", track(place, "--braze-id", "a").ended(0).output.splitlines()[0])
    content = place.read("group.plist")

    with place.full_disk("disk", "64k") as disk:
        for name in place.names():
            if name.startswith("group.plist"):
                place.write(f"disk/{name}", place.read(name))
        free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        place.write("disk/filler", b"x" * free)
        track(place, "--acknowledge", "sent.ndjson", name="disk/group.plist").ended(74).said("group.plist")
        expect(place.read("disk/group.plist") == content, "the preferences changed")


# Pipes and devices in folders


@case
def pipes_in_a_folder_do_not_hold_up_a_search(place):
    place.write("a.campaign.yml", SNAPSHOT_CAMPAIGN)
    for name in [
        "Info.plist", "b.campaign.yml", "App.entitlements", "payloadgen.extras.yml", "X.xcodeproj/project.pbxproj",
        "c.snapshots/one.json",
    ]:
        place.path(name).parent.mkdir(exist_ok=True)
        os.mkfifo(place.path(name))
    for arguments in [["lint", "."], ["test", "."], ["lint", "Info.plist"], ["app", "."], ["lint", "b.campaign.yml"]]:
        place.run(*arguments, patience=15)


@case
def pipes_that_files_name_do_not_hold_up_a_command(place):
    for name in ["fixtures.yml", "blocks/a.liquid", "profile.json", "body.json"]:
        place.path(name).parent.mkdir(exist_ok=True)
        os.mkfifo(place.path(name))
    place.write(
        "a.campaign.yml",
        "version: 1\npush: {title: Hi}\ncontent_blocks: blocks\nfixtures: fixtures.yml\n"
        "tests: [{name: a, profile: profile.json, expect: {extras: {}}}]\n",
    )
    place.write("b.campaign.yml", "version: 1\npush: {rest: body.json}\n")
    for arguments in [["lint", "."], ["test", "."], ["render", "b.campaign.yml", "--profile", "/dev/null"]]:
        place.run(*arguments, patience=15)


# Links


def outside(place, content="secret\n"):
    """A file outside of the project."""
    path = place.folder.parent / "victim"
    path.write_text(content)
    return path


def link(place, name, target):
    path = place.path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.symlink(target, path)


def through_link(place, name, *arguments, prepare=lambda: None):
    """Plants a link to a file outside under a name that a command writes, and expects the file to stay as it is."""
    victim = outside(place)
    prepare()
    link(place, name, victim)
    result = place.run(*arguments)
    expect(victim.read_text() == "secret\n", f"the file behind {name} was overwritten: {result}")
    return result


@case
def links_under_the_names_of_unfinished_files_are_not_followed(place):
    place.write("Info.plist", BROKEN_PLIST)
    arguments = batch(place, 5)
    through_link(place, "out.sarif.partial", "lint", "--format", "sarif=out.sarif", "Info.plist").ended(0, 1)
    through_link(place, "base.json.partial", "lint", "--write-baseline", "base.json", "Info.plist").ended(0, 1)
    through_link(place, "out.json.partial", *arguments[:2], "--profile", "p1.json", *NOW, "--output", "out.json",
                 prepare=lambda: place.write("p1.json", profiles(1))).ended(0)
    through_link(place, "page.html.partial", *arguments, "--report", "page.html").ended(0)
    through_link(place, "out.ndjson.partial", *arguments, "--output", "out.ndjson").ended(74)
    through_link(place, "x.ndjson.partial.json", *arguments, "--output", "x.ndjson").ended(0, 74)
    through_link(place, "templates/welcome.campaign.yml.partial", "init", ".").ended(0)


@case
def outputs_that_are_links_out_of_the_project_are_refused(place):
    place.write("Info.plist", BROKEN_PLIST)
    place.write("p1.json", profiles(1))
    arguments = batch(place, 5)
    for run in [
        ["lint", "--format", "sarif=link1", "Info.plist"], ["lint", "--write-baseline", "link2", "Info.plist"],
        [*arguments, "--output", "link3"], [*arguments, "--report", "link4"],
        ["render", "c.campaign.yml", "--profile", "p1.json", *NOW, "--output", "link5"],
    ]:
        name = run[-2].removeprefix("sarif=") if run[0] == "lint" else run[-1]
        through_link(place, name, *run).ended(74)


@case
def fixes_do_not_go_through_links_out_of_the_project(place):
    victim = outside(place, BROKEN_PLIST)
    link(place, "Info.plist", victim)
    os.symlink(victim.parent, place.path("folder"))
    for path in [".", "Info.plist"]:
        result = place.run("lint", "--fix", path)
        expect(victim.read_text() == BROKEN_PLIST, f"lint --fix {path} wrote through a link: {result}")


@case
def a_first_project_is_not_written_through_links(place):
    target = place.folder.parent / "elsewhere"
    target.mkdir()
    link(place, "templates", target)
    link(place, "profiles/ana.json", target / "ana.json")
    place.run("init", ".")
    expect(not list(target.iterdir()), f"files were written outside: {list(target.iterdir())}")


@case
def snapshots_are_not_written_outside_of_the_project(place):
    target = place.folder.parent / "elsewhere"
    target.mkdir()
    place.write("c.campaign.yml", SNAPSHOT_CAMPAIGN)
    link(place, "c.snapshots", target)
    place.run("test", "--update", "c.campaign.yml")
    expect(not list(target.iterdir()), f"files were written outside: {list(target.iterdir())}")
    place.path("c.snapshots").unlink()
    through_link(place, "c.snapshots/one.json", "test", "--update", "c.campaign.yml")


@case
def tests_read_nothing_outside_of_the_project(place):
    outside(place, '{"first_name": "secret"}')
    place.write("c.campaign.yml", CAMPAIGN + "tests: [{name: a, profile: ../victim, expect: {aps: {alert: {title: x}}}}]\n")
    result = place.run("test", "c.campaign.yml")
    expect(b"secret" not in result.output + result.errors, f"the file outside was read: {result}")
    place.path("folder").mkdir()
    link(place, "folder/b.campaign.yml", place.folder.parent / "victim")
    for form in ["text", "junit", "json"]:
        result = place.run("test", "folder", "--format", form)
        expect(result.status == 65 or result.status == 66, f"the file outside passed: {result}")
        expect(b"secret" not in result.output + result.errors, f"the file outside was read: {result}")


@case
def files_beyond_the_limit_are_refused_before_they_are_read(place):
    place.write("c.campaign.yml", CAMPAIGN + "fixtures: f.yml\n")
    with open(place.path("f.yml"), "wb") as file:
        file.truncate(9 << 30)
    for line in ["test .", "render c.campaign.yml --profile p1.json", "lint ."]:
        place.write("p1.json", "{}")
        place.shell("ulimit -v 4000000; $P " + line, patience=20).ended(1, 65)


SECRETIVE_PROJECT = """\
// !$*UTF8*$!
{ archiveVersion = 1; rootObject = P; objects = {
P = { isa = PBXProject; buildConfigurationList = L; mainGroup = G; targets = ( T ); };
G = { isa = PBXGroup; children = ( X ); sourceTree = "<group>"; };
X = { isa = PBXFileReference; path = "%s"; sourceTree = "%s"; };
L = { isa = XCConfigurationList; buildConfigurations = ( R ); defaultConfigurationName = Release; };
R = { isa = XCBuildConfiguration; name = Release; baseConfigurationReference = X; buildSettings = {
    INFOPLIST_FILE = Info.plist; }; };
T = { isa = PBXNativeTarget; name = T; buildConfigurationList = L;
    productType = "com.apple.product-type.app-extension"; }; }; }
"""


@case
def lint_shows_nothing_of_files_outside_of_the_project(place):
    token = "A = token-x\n"
    place.write(".git/config", token)
    place.write("inside.xcconfig", token)
    victim = outside(place, token)
    link(place, "link.xcconfig", victim)
    place.write("include.xcconfig", '#include "../victim"\n')
    # The spaces are reported, with the value.
    place.write("Info.plist", BROKEN_PLIST.replace("<string>lab</string>", "<string>$(A) x</string>"))
    shown = {}
    for path in [
        "inside.xcconfig", "../victim", ".git/config", "link.xcconfig", "include.xcconfig", "/proc/self/environ", str(victim),
    ]:
        tree = "<absolute>" if path.startswith("/") else "<group>"
        place.write("X.xcodeproj/project.pbxproj", SECRETIVE_PROJECT % (path, tree))
        for arguments in [["lint", "--format", "sarif", "."], ["app", "."], ["lint", "--format", "text", "."]]:
            result = place.run(*arguments, env={"A": "token-x", **os.environ})
            shown[path] = shown.get(path, False) or b"token-x" in result.output + result.errors
    expect(shown.pop("inside.xcconfig"), "the value of a setting inside of the project is not shown either")
    expect(not any(shown.values()), f"shown: {[path for path in shown if shown[path]]}")


@case
def preferences_behind_a_link_stay_behind_it(place):
    preferences(place, 150, name="real.plist")
    link(place, "group.plist", "real.plist")
    place.write("sent.ndjson", track(place, "--braze-id", "a").ended(0).output.splitlines()[0])
    track(place, "--acknowledge", "sent.ndjson").ended(0)
    expect(place.path("group.plist").is_symlink(), "the link became a file")
    expect(len(pending(place, "real.plist")) == 75, f"{len(pending(place, 'real.plist'))} events are left")


# Permissions


@case
def replaced_files_keep_their_permissions(place):
    for mode in [0o600, 0o640, 0o444 | 0o200]:
        place.write("Info.plist", BROKEN_PLIST, mode)
        place.write("c.snapshots/one.json", "{}", mode)
        for name in ["out.sarif", "base.json", "out.ndjson", "page.html", "out.json"]:
            place.write(name, "{}", mode)
        preferences(place, 150).chmod(mode)
        place.write("sent.ndjson", track(place, "--braze-id", "a").ended(0).output.splitlines()[0])
        track(place, "--acknowledge", "sent.ndjson").ended(0)
        place.run("lint", "--format", "sarif=out.sarif", "--write-baseline", "base.json", "Info.plist").ended(0, 1)
        place.run("lint", "--fix", "Info.plist").ended(0, 1)
        place.run(*batch(place, 5), "--output", "out.ndjson", "--report", "page.html").ended(0)
        place.write("p.json", profiles(1))
        place.run("render", "c.campaign.yml", "--profile", "p.json", *NOW, "--output", "out.json").ended(0)
        place.write("c.campaign.yml", SNAPSHOT_CAMPAIGN)
        place.run("test", "--update", "c.campaign.yml").ended(0, 1)
        for name in [
            "Info.plist", "c.snapshots/one.json", "out.sarif", "base.json", "out.ndjson", "page.html", "group.plist", "out.json",
        ]:
            found = stat.S_IMODE(place.path(name).stat().st_mode)
            expect(found == mode, f"{name}: found {found:o}, expected {mode:o}")


@case
def the_time_of_preferences_stays(place):
    path = preferences(place, 150)
    os.utime(path, ns=(1_000_000_000_000_000_000, 1_000_000_000_000_000_000))
    place.write("sent.ndjson", track(place, "--braze-id", "a").ended(0).output.splitlines()[0])
    track(place, "--acknowledge", "sent.ndjson").ended(0)
    expect(path.stat().st_mtime_ns == 1_000_000_000_000_000_000, "the time of the file changed")


@case
def nothing_is_left_beside_what_was_written(place):
    place.write("Info.plist", BROKEN_PLIST)
    place.write("c.campaign.yml", SNAPSHOT_CAMPAIGN)
    place.run("lint", "--fix", "Info.plist")
    place.run("lint", "--write-baseline", "base.json", "--format", "sarif=out.sarif", ".")
    place.run("test", "--update", "c.campaign.yml")
    expected = {"Info.plist", "c.campaign.yml", "base.json", "out.sarif", "c.snapshots/one.json"}
    expect(place.names() == expected, f"found {sorted(place.names())}")
