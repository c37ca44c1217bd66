#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What people do with `payloadgen preview`, in a real browser.

    stories.py BINARY [--pictures FOLDER] [--jobs N] [WORD...]

runs the stories with one of the words in their names, or all, N at a time (by default one for each core), and ends with 1
where one fails. Needs Chromium and, from PyPI, playwright and axe-playwright-python; `make test-page` installs them.
"""

import argparse
import contextlib
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOW = "2026-11-20T09:00:00Z"
CAMPAIGN = "templates/lab-progress.campaign.yml"
STORIES = []


def story(function):
    STORIES.append(function)
    return function


class Project:
    """A copy of the repository's examples, in which campaigns may be changed."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="payloadgen-page-"))
        for name in ["templates", "examples", ".payloadgen.yml"]:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, self.folder / name)
            else:
                shutil.copy(source, self.folder / name)
        self.file = self.folder / CAMPAIGN

    def edit(self, old, new, path=None):
        path = self.folder / (path or CAMPAIGN)
        text = path.read_bytes().decode()
        assert old in text, f"'{old}' is not in {path}"
        path.write_bytes(text.replace(old, new).encode())

    def close(self):
        shutil.rmtree(self.folder)


class Server:
    def __init__(self, binary, project, *options, campaign=CAMPAIGN):
        command = [binary, "preview", *([campaign] if campaign else []), "--no-open", "--now", NOW, *options]
        self.process = subprocess.Popen(command, cwd=project.folder, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), self.url

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


class World:
    """What a story works with."""

    def __init__(self, binary, browser, pictures):
        self.binary = binary
        self.browser = browser
        self.pictures = pictures
        self.others = []
        self.notes = []
        self.stack = contextlib.ExitStack()

    def note(self, text):
        """Adds a line to the report of the story."""
        self.notes.append(text)

    def project(self):
        project = Project()
        self.stack.callback(project.close)
        return project

    def server(self, project, *options, campaign=CAMPAIGN):
        server = Server(self.binary, project, *options, campaign=campaign)
        self.stack.callback(server.close)
        return server

    def open(self, url, width=1280, height=832, **options):
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", locale="en-US", timezone_id="UTC", **options
        )
        self.stack.callback(context.close)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on(
            "console",
            lambda message: page.problems.append(message.text) if message.type == "error" and "409" not in message.text else None,
        )
        own = "http://127.0.0.1:"
        page.on(
            "request",
            lambda request: None if request.url.startswith((own, "data:", "file:", "blob:")) else self.others.append(request.url),
        )
        page.goto(url)
        if options.get("java_script_enabled", True) and url.startswith("http"):
            page.wait_for_selector("html.scripted")
        return page

    def start(self, *options, query="", width=1280, **more):
        project = self.project()
        server = self.server(project, *options)
        return project, self.open(server.url + query, width, **more)

    def picture(self, page, name, full=True):
        if self.pictures:
            page.screenshot(path=str(self.pictures / f"{name}.png"), full_page=full)


def axe(page, allowed=()):
    results = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
    found = [
        f"{violation['id']}: {violation['nodes'][0]['html'][:160]} ({violation['nodes'][0]['failureSummary'][:200]})"
        for violation in results.response["violations"]
        if violation["id"] not in allowed
    ]
    assert not found, "axe: " + " | ".join(found)


def no_overflow(page):
    extra = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert extra <= 0, f"the page is {extra} pixels wider than its window"
    # Beside each other, the columns scroll, and the page does not.
    longer = page.evaluate("innerWidth > 1100 && !document.querySelector('.still') ? document.documentElement.scrollHeight - innerHeight : 0")
    assert longer <= 0, f"the page is {longer} pixels longer than its window"


def text(page, selector):
    return re.sub(r"\s+", " ", page.inner_text(selector)).strip()


def eventually(check, what, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if check():
            return
        time.sleep(0.03)
    raise AssertionError(what)


# On a clock that goes on by hand: answers take as long as they take, and what follows them waits for the clock.
def eventually_by_hand(page, check, what):
    eventually(lambda: page.clock.run_for(50) or check(), what)


# What the page asks for 120 ms after the last answer about the message. A pause of typing is 600 ms, which is not reached.
def before_a_pause(page, selector, what):
    for _ in range(4):
        page.clock.run_for(140)
        try:
            return eventually(lambda: page.query_selector(selector), what, seconds=5)
        except AssertionError:
            # The answer came after the clock went on.
            continue
    raise AssertionError(what)


# A pause of typing.
def pause(page, selector, what):
    page.clock.run_for(700)
    eventually_by_hand(page, lambda: page.query_selector(selector), what)


def choose(page, name):
    page.click(f".who:has-text('{name}')")
    page.wait_for_selector(f".who[aria-current]:has-text('{name}')")


def field(name):
    return f"textarea[name='field:{name}']"


def type_into(page, name, value):
    page.fill(field(name), value)


# The stories.


@story
def s01_open_and_see_a_lock_screen(world):
    _, page = world.start()
    assert "Ana Silva" in text(page, ".who[aria-current]"), text(page, ".who[aria-current]")
    assert text(page, ".screen .ti .cut") == "Well done, Ana"
    assert text(page, ".clock .tm") == "06:00"
    assert text(page, ".clock .dt") == "sexta-feira, 20 de novembro"
    assert "Title fits" in text(page, ".fit") and "of 4 lines" in text(page, ".fit")
    assert "468 B" in text(page, ".who[aria-current]")
    world.picture(page, "01-lock-1280")


@story
def s02_type_and_the_preview_follows(world):
    _, page = world.start()
    page.focus(field("title"))
    page.keyboard.press("End")
    # From the key to the frame that shows the phone with it, measured in the page.
    page.evaluate("""() => {
      const times = window.times = [];
      let pressed = 0;
      document.addEventListener("input", (event) => { pressed = event.timeStamp; }, true);
      new MutationObserver(() => {
        const from = pressed;
        requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - from)));
      }).observe(document.querySelector(".screen .ti .cut"), { subtree: true, childList: true, characterData: true });
    }""")
    for letter in "!?.,;:-+!?.,;:-+!?.,;:-+!?.,;:-+!?.,;:-+":
        page.keyboard.type(letter)
        page.wait_for_function("letter => document.querySelector('.screen .ti .cut').textContent.endsWith(letter)", arg=letter)
        time.sleep(0.1)
    times = sorted(page.evaluate("times"))
    assert len(times) == 40, times
    world.note(f"key to preview: median {times[20]:.0f} ms, p95 {times[38]:.0f} ms, most {times[39]:.0f} ms")
    # A debug build on a busy machine; the design asks for 50 ms of a release build.
    assert times[20] < 2000, times
    assert "Edited, not saved" in text(page, "#state")


def hold(page, path):
    """Keeps the requests for a path back; returns the list of those that are."""
    held = []
    page.route(f"**/{path}", lambda route: held.append(route))
    return held


@story
def s02_what_is_typed_is_seen_before_the_answer(world):
    _, page = world.start()
    held = hold(page, "api/render")

    def rows(name):
        return page.evaluate(
            "name => [...document.querySelectorAll(`textarea[name='field:${name}']`)[0].closest('.code').querySelectorAll('.t')]"
            ".map(row => row.textContent.replace('\u200B', ''))", name)

    page.focus(field("title"))
    page.keyboard.press("End")
    page.keyboard.type("!? ")
    page.keyboard.press("Backspace")
    assert rows("title") == [page.input_value(field("title"))], rows("title")
    assert rows("title")[0].endswith("}}!?")
    page.focus(field("body"))
    for key in ["Control+Home", "ArrowDown", "Home", "x", "Enter", "Enter", "y", "ArrowUp", "Backspace", "Control+End", "Enter", "z"]:
        page.keyboard.press(key)
    lines = page.input_value(field("body")).split("\n")
    assert rows("body") == lines, (rows("body"), lines)
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    assert rows("body") == [""], rows("body")
    page.keyboard.type("Hello")
    # One request at a time, and then one for all that was typed meanwhile.
    assert len(held) == 1, len(held)
    assert text(page, ".screen .ti .cut") == "Well done, Ana"
    held.pop().continue_()
    eventually(lambda: page.title() and held, "what was typed meanwhile was not asked for")
    assert rows("body") == ["Hello"], rows("body")
    held.pop().continue_()
    eventually(lambda: text(page, ".screen .bo") == "Hello", text(page, ".screen .bo"))
    assert text(page, ".screen .ti .cut") == "Well done, Ana!?"
    # The rest of the page is asked for once, after the message.
    eventually(lambda: page.title() and held, "the rest of the page was not asked for")
    assert not held.pop().request.post_data_json["quick"]
    assert not held, "the same text was asked for again"


@story
def s03_a_typo_shows_what_is_meant(world):
    _, page = world.start()
    type_into(page, "extras.total_session_count", "{{ custom_attribute.${total_session_count} | defualt: 12 }}")
    page.wait_for_selector("[id='section-extras.total_session_count'] .find")
    found = text(page, "[id='section-extras.total_session_count'] .find")
    assert "did you mean 'default'" in found, found
    assert text(page, "#count").startswith("1")
    assert page.query_selector("[id='section-extras.total_session_count'] .sq")
    world.picture(page, "03-finding-1280")
    axe(page)


@story
def s04_fix_then_undo(world):
    _, page = world.start()
    name = "extras.total_session_count"
    typo = "{{ custom_attribute.${total_session_count} | defualt: 12 }}"
    type_into(page, name, typo)
    page.wait_for_selector("button[name=fix]")
    page.click("button[name=fix]")
    eventually(lambda: "default: 12" in page.input_value(field(name)), "the fix was not made")
    page.wait_for_selector("button[name=fix]", state="detached")
    page.focus(field(name))
    page.keyboard.press("Control+z")
    eventually(lambda: page.input_value(field(name)) == typo, "undo did not bring back the typo")
    page.keyboard.press("Control+Shift+z")
    eventually(lambda: "default: 12" in page.input_value(field(name)), "redo did not fix again")


@story
def s04_add_what_is_missing(world):
    project = world.project()
    project.edit("  title: \"Well done, {{ ${first_name} | default: 'you' }}\"\n", "")
    page = world.open(world.server(project).url)
    before = project.file.read_text()
    assert page.locator("button[name=new]").all_inner_texts() == ["Add a title", "Add a subtitle", "Add a key-value pair"]
    axe(page)
    world.picture(page, "04-add-1280", full=False)
    # By mouse: the cursor is in the new field.
    page.click("text=Add a title")
    focused = lambda: page.evaluate("document.activeElement.name")
    eventually(lambda: focused() == "field:title", "the cursor is not in the title")
    page.keyboard.type("Hello {{ ${first_name} }}")
    eventually(lambda: text(page, ".screen .ti .cut") == "Hello Ana", text(page, ".screen .ti .cut"))
    # By keyboard: the key of a pair, Enter, and its value.
    page.focus("#new-key")
    page.keyboard.type("level")
    page.keyboard.press("Enter")
    eventually(lambda: focused() == "field:extras.level", "the cursor is not in the new value")
    assert page.input_value("#new-key") == ""
    page.keyboard.type("{{ 1 | upcas }}")
    page.wait_for_selector("[id='section-extras.level'] .find")
    axe(page)
    page.keyboard.press("Control+s")
    eventually(lambda: "level" in project.file.read_text(), "nothing was saved")
    wanted = before.replace("  category: lab_progress\n", "  title: \"Hello {{ ${first_name} }}\"\n  category: lab_progress\n", 1)
    sessions = next(line + "\n" for line in before.split("\n") if line.startswith("    sessions:"))
    wanted = wanted.replace(sessions, sessions + "    level: \"{{ 1 | upcas }}\"\n", 1)
    assert project.file.read_text() == wanted, project.file.read_text()
    # Undo takes the field away again. The page disables the button at the last step, so one script asks and clicks.
    def undone():
        page.evaluate("document.querySelector('#undo:enabled')?.click()")
        return not page.query_selector(field("title"))

    eventually(undone, "the title is still there")
    # What exists, or has no name, is not added.
    page.focus("#new-key")
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel > .find.err:has-text('cannot be added')")


@story
def s05_that_typo_fails_only_nobody(world):
    _, page = world.start()
    type_into(page, "extras.total_session_count", "{{ custom_attribute.${total_session_count} | defualt: 12 }}")
    page.wait_for_selector(".who:has-text('Nobody known') .rs.err")
    assert "468 B" in text(page, ".who:has-text('Ana Silva')")
    # The message is sent, and the tests of the campaign say so too.
    assert "Sent with errors" in text(page, ".who:has-text('Nobody known')")
    assert "1 of 4 tests of the campaign fails: 'a user of whom nothing is known'" in text(page, "#checks"), text(page, "#checks")
    choose(page, "Nobody known")
    assert "Braze sends the message anyway" in text(page, "#fault")
    assert page.query_selector(".screen .n-card"), "a broken contract is sent, so the phone shows it"
    world.picture(page, "05-nobody-1280")


@story
def s05_a_misspelt_category_is_fixed(world):
    _, page = world.start()
    assert "4 tests of the campaign pass" in text(page, "#checks"), text(page, "#checks")
    type_into(page, "category", "lab_progres")
    page.wait_for_selector("#section-category .sq")
    assert "did you mean 'lab_progress'" in text(page, "#section-category .find")
    world.picture(page, "05-category-1280")
    axe(page)
    # In the file, the finding is in sight and leads to its line.
    page.click("#work .seg a:has-text('File')")
    page.wait_for_selector("#others .find")
    box = page.locator("#others .find").first.bounding_box()
    assert box["y"] + box["height"] <= 832, box
    world.picture(page, "05-category-file-1280", full=False)
    page.click("#others .at")
    wanted = page.input_value("#file").index("  category: lab_progres\n")
    eventually(lambda: page.evaluate("document.activeElement.id === 'file' && document.activeElement.selectionStart") == wanted, "the cursor is elsewhere")
    axe(page)
    page.click(".seg a:has-text('Fields')")
    page.click("#section-category button[name=fix]")
    eventually(lambda: page.input_value(field("category")) == "lab_progress", page.input_value(field("category")))
    page.wait_for_selector("#section-category .find", state="detached")
    assert text(page, "#state") == "Saved"
    # What only the file can change leads there.
    page.click(".opts div:has-text('badge') .at")
    page.wait_for_selector("#file")
    eventually(lambda: page.evaluate("document.activeElement.value?.slice(document.activeElement.selectionStart)").startswith("  badge: 1"), "badge is not found")


@story
def s05_errors_wait_for_a_pause(world):
    _, page = world.start()
    page.focus(field("title"))
    page.keyboard.press("End")
    # Time goes on by hand, so that there is a pause exactly where the story has one.
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") + 1000)
    page.keyboard.type(" {{ 1 | upcas }}")
    before_a_pause(page, "#count", "the number of findings does not follow")
    eventually(lambda: page.query_selector("#section-title .sq"), "the finding has no line under the text")
    assert not page.query_selector("#panel .find"), "a finding appeared while somebody typed"
    pause(page, "#section-title .find", "the finding did not appear after the pause")
    eventually_by_hand(page, lambda: "upcase" in text(page, "#section-title .find"), "the finding is an older one")
    # Once it is there it follows each key, and goes as soon as it is wrong.
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.keyboard.type("e")
    eventually_by_hand(page, lambda: not page.query_selector("#panel .find"), "the finding stayed")
    assert not page.query_selector("#count")
    # The phone says at once that it is old, and why after the pause.
    page.keyboard.press("End")
    page.keyboard.type(" {% if")
    eventually(lambda: page.query_selector("#app.stale"), "the phone looks as if it were current")
    assert not page.query_selector("#broken") and not page.query_selector(".before")
    pause(page, "#broken", "the error did not appear after the pause")
    assert page.query_selector(".before")


@story
def s06_an_abort_has_a_reason(world):
    _, page = world.start()
    choose(page, "佐藤")
    assert "Aborted" in text(page, ".who[aria-current]")
    assert "course finished" in text(page, ".screen .none")
    assert "course finished" in text(page, "#section-body .find")
    world.picture(page, "06-aborted-1280")
    axe(page)


@story
def s07_a_contract_error_names_the_pair_and_its_type(world):
    _, page = world.start()
    page.fill("[name='trigger:next_session_complete_date']", "soon")
    page.wait_for_selector("#checks .failed")
    found = text(page, "#checks")
    assert "next_session_complete_date" in found and "date" in found and "soon" in found, found
    assert re.search(r"yml:\d+", found), found


@story
def s08_a_long_body_is_cut_in_the_banner(world):
    _, page = world.start()
    body = "Your course goes on: three more sessions, one certificate, and a small surprise at the very end of December."
    type_into(page, "body", body)
    page.click("text=Banner")
    page.wait_for_selector(".fit .cut-off")
    assert "is cut after 2 lines" in text(page, ".fit"), text(page, ".fit")
    lost = text(page, ".fit .lost q")
    assert lost and body.endswith(lost.strip("“”\"")), lost
    world.picture(page, "08-banner-1280")
    page.click("text=Lock screen")
    page.wait_for_selector(".screen.lock")
    eventually(lambda: "of 4 lines" in text(page, ".fit"), text(page, ".fit"))


@story
def s09_over_4096_bytes(world):
    _, page = world.start()
    type_into(page, "body", "x" * 4000)
    page.wait_for_selector("rect.over")
    assert "No notification" in text(page, ".screen .none")
    assert "bytes too many; body" in text(page, "[aria-label=Budget] .find"), text(page, "[aria-label=Budget]")
    page.click("#tab-payload")
    page.wait_for_selector(".json")
    world.picture(page, "09-over-1280", full=False)
    axe(page)


@story
def s10_costs_add_up(world):
    _, page = world.start(query="?tab=payload")
    costs = [int(re.match(r"\d+", cost)[0]) for cost in page.locator(".json .b").all_inner_texts()]
    total, structure = (int(number.replace(",", "")) for number in re.search(r"([\d,]+) bytes, (\d+) of them", text(page, "#panel")).groups())
    assert sum(costs) + structure == total, (costs, structure, total)
    legend = sum(int(number.replace(",", "")) for number in re.findall(r" ([\d,]+)", text(page, ".leg")))
    assert legend == total, (legend, total)
    payload = page.input_value("#payload")
    assert len(payload.encode()) == total
    world.picture(page, "10-payload-1280")
    axe(page)


@story
def s11_the_long_look(world):
    _, page = world.start(query="?look=long")
    drawn = text(page, ".ext")
    assert "LabProgress draws here" in drawn and "ratio 0.6" in drawn, drawn
    assert "completed_session_count" in drawn and "Segments" in drawn
    assert "hides title and body here" in text(page, ".fit")
    box = page.locator(".ext").bounding_box()
    assert abs(box["height"] / box["width"] - 0.6) < 0.03, box
    world.picture(page, "11-long-1280")
    axe(page)


@story
def s12_an_image_is_not_fetched(world):
    project = world.project()
    server = world.server(project, campaign="templates/lab-register.campaign.yml")
    page = world.open(server.url + "?look=lock&person=1")
    assert "png" in text(page, ".screen .thumb") or "jpg" in text(page, ".screen .thumb")
    assert not page.query_selector("img")
    assert not world.others, world.others


@story
def s12_an_image_is_fetched_only_on_request(world):
    project = world.project()
    campaign = "templates/lab-register.campaign.yml"
    project.edit("https://images.example.com/cert/{{", "https://127.0.0.1/cert/{{", path=campaign)
    server = world.server(project, "--allow-images", campaign=campaign)
    page = world.open(server.url + "?person=1")
    assert not page.query_selector("img")
    page.problems = []
    page.click("#fetch")
    page.wait_for_selector("dialog")
    assert "private network" in text(page, "dialog"), text(page, "dialog")
    page.click("dialog button")
    assert not page.query_selector("img")
    world.picture(page, "12-image-1280")


@story
def s12_two_apps(world):
    project = world.project()
    shutil.copytree(project.folder / "examples/BookDemo", project.folder / "examples/Second")
    project.edit("apps:\n", "apps:\n  Second: examples/Second\n", path=".payloadgen.yml")
    project.edit("app: BookDemo\n", "")
    page = world.open(world.server(project).url)
    assert "Several apps claim the category" in text(page, "#checks"), text(page, "#checks")
    shown = "#checks .seg a[aria-current]"
    other = "Second" if text(page, shown) == "BookDemo" else "BookDemo"
    world.picture(page, "12-apps-1280")
    axe(page)
    page.locator("#checks .seg a:not([aria-current])").click()
    eventually(lambda: text(page, shown) == other and f"the phone shows {other}" in text(page, "#checks"), text(page, "#checks"))


@story
def s13_other_scripts_and_directions(world):
    project = world.project()
    arabic = {"external_id": "ar-1", "first_name": "ليلى", "language": "ar", "time_zone": "Africa/Cairo", "home_city": "القاهرة"}
    (project.folder / "examples/profiles/layla.json").write_text(json.dumps(arabic))
    page = world.open(world.server(project).url)
    for name, language in [("민준", "ko"), ("ليلى", "ar")]:
        choose(page, name)
        assert page.get_attribute(".screen .n-card", "lang") == language
        assert page.get_attribute(".screen .bo", "dir") == "auto"
        assert page.get_attribute(".clock .dt", "lang") == language
    world.picture(page, "13-arabic-1280")
    axe(page)


@story
def s14_a_branch_that_nobody_reaches(world):
    project, page = world.start()
    files = sorted((path, path.read_bytes()) for path in project.folder.rglob("*") if path.is_file())
    reached = text(page, "#reached")
    wanted = page.locator(".arms li", has_text="none of the choices of if api_trigger_properties.${next_session_name}")
    assert "needs: api_trigger_properties.${next_session_name} is blank" in re.sub(r"\s+", " ", wanted.inner_text()), wanted.inner_text()
    world.picture(page, "14-unreached-1280")
    wanted.locator("button").click()
    page.wait_for_selector(".who[aria-current]:has-text('Test person 1')")
    assert "Next:" not in text(page, ".screen .bo"), text(page, ".screen .bo")
    assert text(page, ".screen .ti .cut") == "Well done, Ana"
    assert int(text(page, "#reached").split()[0]) > int(reached.split()[0]), (reached, text(page, "#reached"))
    assert "has their own values" in text(page, ".ctx")
    world.picture(page, "14-added-1280")
    axe(page)
    page.click("#tab-profile")
    page.wait_for_selector("button[name=remove]")
    with page.expect_download() as download:
        page.click("text=Download the profile")
    assert json.loads(pathlib.Path(download.value.path()).read_text())["user"]["first_name"] == "Ana"
    page.click("button[name=remove]")
    page.wait_for_selector(".who:has-text('Test person 1')", state="detached")
    assert text(page, "#reached") == reached
    # As long as there are branches for which somebody is found, they can be added, until all are reached.
    while buttons := page.locator("button[name=add]").all():
        count = len(page.locator(".who").all())
        buttons[0].click()
        eventually(lambda: len(page.locator(".who").all()) > count, text(page, "#panel"), 20)
    done, of = re.match(r"(\d+) of (\d+) reached", text(page, "#reached")).groups()
    assert done == of
    world.picture(page, "14-all-reached-1280")
    assert files == sorted((path, path.read_bytes()) for path in project.folder.rglob("*") if path.is_file())


@story
def s15_one_person_per_branch(world):
    project = world.project()
    ana = json.loads((project.folder / "examples/profiles/ana.json").read_text())
    with open(project.folder / "many.ndjson", "w") as file:
        for number in range(10_000):
            ana["external_id"] = f"user-{number}"
            ana["first_name"] = f"User{number}"
            ana["custom_attributes"]["completed_session_count"] = 12 if number == 7_777 else 3
            file.write(json.dumps(ana) + "\n")
    page = world.open(world.server(project, "--profiles", "many.ndjson").url)
    before = time.monotonic()
    page.click(".seg a:has-text('One per branch')")
    page.wait_for_selector("#cover:not([data-more])", timeout=30_000)
    looked = int(re.search(r"([\d,]+)", text(page, "#cover"))[1].replace(",", ""))
    world.note(f"{looked:,} of 10,000 profiles in {time.monotonic() - before:.1f} s")
    # A debug build may not look through all of them in the 4 seconds that it has.
    if looked > 7_777:
        assert page.locator(".who:has-text('User7777')").count() == 1
        assert "Aborted" in text(page, ".who:has-text('User7777')")
        page.click("#reached-list summary")
        assert "<0.1%" in text(page, "#reached-list")
    assert page.locator(".who").count() <= 5
    world.picture(page, "15-one-per-branch-1280")
    axe(page)
    page.focus(field("title"))
    page.keyboard.press("End")
    page.keyboard.type("!")
    eventually(lambda: text(page, ".screen .ti .cut").endswith("!"), "the preview did not follow", 20)
    page.click(".seg a:has-text('Files')")
    page.wait_for_selector(".who:has-text('User150')")


@story
def s16_a_profile_value_is_changed_here_alone(world):
    project, page = world.start(query="?person=1&tab=profile")
    before = (project.folder / "examples/profiles/ana.json").read_bytes()
    world.picture(page, "16-profile-1280")
    page.fill("[id='profile-${first_name}']", "Bea")
    eventually(lambda: text(page, ".screen .ti .cut") == "Well done, Bea", "the message did not follow the profile")
    page.fill("[id='profile-custom_attribute.${completed_session_count}']", "7")
    eventually(lambda: "finished 7 of 12" in text(page, ".screen .bo"), "the number did not follow")
    page.click("#tab-message")
    page.wait_for_selector("#section-title")
    assert text(page, ".screen .ti .cut") == "Well done, Bea", "the value was lost with the tab"
    assert (project.folder / "examples/profiles/ana.json").read_bytes() == before
    axe(page)


@story
def s16_values_belong_to_one_person(world):
    _, page = world.start(query="?tab=profile")
    page.fill("[id='profile-${first_name}']", "Beatrice")
    eventually(lambda: text(page, ".screen .ti .cut") == "Well done, Beatrice", "the message did not follow the profile")
    eventually(lambda: text(page, ".who[aria-current] .rs") != "468 B", "the list did not follow the profile")
    changed = text(page, ".who[aria-current] .rs")
    choose(page, "민준")
    eventually(lambda: "Beatrice" not in text(page, ".screen .ti .cut"), "the value was used for somebody else")
    assert changed == text(page, ".who:has-text('Ana Silva') .rs"), "the list forgot the value"
    choose(page, "Ana")
    eventually(lambda: text(page, ".screen .ti .cut") == "Well done, Beatrice", "the value was lost")
    page.click("#reset-profile")
    eventually(lambda: text(page, ".screen .ti .cut") == "Well done, Ana", "the change was not undone")


@story
def s16_a_profile_as_json(world):
    project, page = world.start(query="?person=1&tab=profile")
    before = (project.folder / "examples/profiles/ana.json").read_bytes()
    page.fill("[id='profile-${first_name}']", "Bea")
    eventually(lambda: text(page, ".screen .ti .cut") == "Well done, Bea", "the message did not follow the profile")
    page.click("#panel .seg a:has-text('JSON')")
    page.wait_for_selector("#profile-json")
    value = json.loads(page.input_value("#profile-json"))
    assert value["user"]["first_name"] == "Bea", value
    value["user"]["first_name"] = "Cleo"
    page.fill("#profile-json", json.dumps(value))
    eventually(lambda: text(page, ".screen .ti .cut") == "Well done, Cleo", "the message did not follow the JSON")
    page.fill("#profile-json", json.dumps(value)[:-1])
    page.wait_for_selector("#profile-error")
    assert text(page, ".screen .ti .cut") == "Well done, Cleo", "faulty JSON changed the preview"
    assert "line 1, column" in text(page, "#profile-error")
    world.picture(page, "16-profile-json-1280")
    axe(page)
    page.click("#reset-profile")
    eventually(lambda: text(page, ".screen .ti .cut") == "Well done, Ana", "the profile did not come back")
    assert (project.folder / "examples/profiles/ana.json").read_bytes() == before


@story
def s16_a_time_stays_a_time(world):
    project = world.project()
    ana = json.loads((project.folder / "examples/profiles/ana.json").read_text())
    ana["custom_attributes"]["started"] = {"$time": "2026-11-20T09:00:00Z"}
    (project.folder / "examples/profiles/ana.json").write_text(json.dumps(ana))
    page = world.open(world.server(project).url + "?person=1&tab=profile")
    row = "tr:has-text('${started}')"
    page.fill(f"{row} input", "2026-12-24 20:30")
    page.fill("[id='profile-${first_name}']", "Bea")
    eventually(lambda: text(page, ".screen .ti .cut") == "Well done, Bea", "the message did not follow the profile")
    assert text(page, f"{row} .chip") == "time"
    # Its JSON has the time too, and so has a person who is made from it.
    page.click("#panel .seg a:has-text('JSON')")
    page.wait_for_selector("#profile-json")
    value = json.loads(page.input_value("#profile-json"))
    started = [members["started"] for members in value.values() if "started" in members]
    assert started == [{"$time": "2026-12-24T20:30:00Z"}], value
    page.fill("#profile-json", json.dumps(value))
    page.click("#panel .seg a:has-text('Values')")
    page.wait_for_selector(row)
    assert text(page, f"{row} .chip") == "time"
    page.locator("button[name=add]").first.click()
    page.wait_for_selector(".who[aria-current]:has-text('Test person 1')")
    assert text(page, f"{row} .chip") == "time"


@story
def s17_a_trigger_property_is_changed(world):
    _, page = world.start()
    page.fill("[name='trigger:next_session_name']", "Canvas")
    eventually(lambda: "Next: Canvas" in text(page, ".screen .bo"), "the message did not follow")
    page.fill("[name=now]", "soon")
    page.wait_for_selector("#now-error")
    assert page.get_attribute("[name=now]", "aria-invalid") == "true"
    axe(page)


@story
def s18_now_moves_the_clock(world):
    _, page = world.start()
    page.fill("[name=now]", "2026-12-24T20:30:00Z")
    eventually(lambda: text(page, ".clock .tm") == "17:30", text(page, ".clock .tm"))
    assert text(page, ".clock .dt") == "quinta-feira, 24 de dezembro"


@story
def s19_saving_changes_only_the_edit(world):
    project = world.project()
    original = project.file.read_bytes().replace(b"\n", b"\r\n")
    project.file.write_bytes(original)
    page = world.open(world.server(project).url)
    assert "Saved" in text(page, "#state")
    type_into(page, "title", "Bravo, {{ ${first_name} | default: 'you' }}")
    eventually(lambda: text(page, ".screen .ti .cut") == "Bravo, Ana", "no preview")
    page.keyboard.press("Control+s")
    eventually(lambda: project.file.read_bytes() != original, "nothing was saved")
    assert project.file.read_bytes() == original.replace(b"Well done,", b"Bravo,", 1)
    eventually(lambda: text(page, "#state") == "Saved", text(page, "#state"))


@story
def s19_every_campaign_keeps_its_draft(world):
    project = world.project()
    page = world.open(world.server(project, campaign=None).url)
    before = {path: path.read_bytes() for path in project.folder.glob("templates/*.yml")}

    def turn_to(name):
        page.click("#campaigns summary")
        page.click(f"#campaigns a:has-text('{name}')")
        page.wait_for_function("name => document.title.startsWith(name)", arg=name)

    turn_to("lab-progress")
    page.focus(field("title"))
    page.keyboard.press("End")
    page.keyboard.type("!")
    eventually(lambda: text(page, ".screen .ti .cut") == "Well done, Ana!", "no preview")
    # What was typed last counts, even where no preview of it was seen.
    page.keyboard.type("?")
    mine = page.input_value(field("title"))
    turn_to("lab-register")
    assert text(page, "#state") == "Saved" and page.is_disabled("#undo")
    page.click("#campaigns summary")
    edited = page.locator("#campaigns .unsaved").all_inner_texts()
    assert edited == ["templates/lab-progress.campaign.yml"], edited
    axe(page)
    page.keyboard.press("Escape")
    assert not page.query_selector("#campaigns[open]"), "Escape does not close the menu"
    other = page.input_value(field("title"))
    type_into(page, "title", "Other")
    eventually(lambda: text(page, "#state") == "Edited, not saved", "the other campaign was not edited")
    turn_to("lab-progress")
    eventually(lambda: page.input_value(field("title")) == mine, page.input_value(field("title")))
    eventually(lambda: text(page, ".screen .ti .cut") == "Well done, Ana!?", "the draft is not rendered")
    assert text(page, "#state") == "Edited, not saved"
    page.click("#undo")
    eventually(lambda: not page.input_value(field("title")).endswith("?"), "the draft has no undo")
    page.click("#redo")
    eventually(lambda: page.input_value(field("title")) == mine, "the draft has no redo")
    # The ways back of the browser and of the keyboard change nothing about it.
    page.go_back()
    eventually(lambda: page.input_value(field("title")) == "Other", page.input_value(field("title")))
    page.keyboard.press("Control+k")
    page.keyboard.type("lab-progress")
    page.keyboard.press("Enter")
    eventually(lambda: page.input_value(field("title")) == mine, page.input_value(field("title")))
    # Nor does a reload, before which the browser asks.
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.reload()
    eventually(lambda: page.input_value(field("title")) == mine, "a reload lost the draft")
    assert asked == ["beforeunload"], asked
    turn_to("lab-register")
    eventually(lambda: page.input_value(field("title")) == "Other", "a reload lost the other draft")
    page.click("#undo")
    eventually(lambda: page.input_value(field("title")) == other, "the other draft has no undo")
    assert before == {path: path.read_bytes() for path in before}, "a file was changed"
    # Saved is what is shown.
    turn_to("lab-progress")
    page.click("#save")
    eventually(lambda: text(page, "#state") == "Saved", text(page, "#state"))
    saved = project.file.read_bytes()
    assert saved == before.pop(project.file).replace(b"'you' }}", b"'you' }}!?", 1), saved
    assert before == {path: path.read_bytes() for path in before}, "another file was changed"
    page.click("#campaigns summary")
    page.click("#phone .device")
    assert not page.query_selector("#campaigns[open]"), "a click outside does not close the menu"


@story
def s19_campaigns_come_and_go(world):
    project = world.project()
    server = world.server(project, campaign=None)
    page = world.open(server.url)
    first = text(page, "h1").split(",")[0]
    file = project.folder / f"templates/{first}.campaign.yml"
    page.focus(field("title"))
    page.keyboard.press("End")
    page.keyboard.type("!")
    eventually(lambda: text(page, "#state") == "Edited, not saved", "the campaign was not edited")
    # Another campaign becomes the first one, and the draft stays that of its own.
    other = project.folder / "templates/a-new.campaign.yml"
    shutil.copy(project.folder / "templates/lab-register.campaign.yml", other)
    page.wait_for_selector("#campaigns a:has-text('a-new')", state="attached")
    page.keyboard.type("?")
    eventually(lambda: text(page, ".screen .ti .cut").endswith("!?"), text(page, ".screen .ti .cut"))
    page.keyboard.press("Control+s")
    eventually(lambda: "!?" in file.read_text(), "nothing was saved")
    assert other.read_bytes() == (project.folder / "templates/lab-register.campaign.yml").read_bytes()
    page.reload()
    assert text(page, "h1").split(",")[0] == first
    # Where the campaign itself is gone, the page says so, and keeps what was typed.
    page.focus(field("title"))
    page.keyboard.press("End")
    file.unlink()
    eventually(lambda: "there is no campaign" in text(page, "#live"), text(page, "#live"))
    page.problems = []
    page.keyboard.type(".")
    assert page.input_value(field("title")).endswith("!?.")
    page.click("#campaigns summary")
    page.click("#campaigns a:has-text('a-new')")
    eventually(lambda: text(page, "h1").startswith("a-new"), text(page, "h1"))
    eventually(lambda: text(page, "#live") == "Live", text(page, "#live"))


@story
def s20_the_file_changes_outside(world):
    project, page = world.start()
    project.edit("Well done", "Great")
    eventually(lambda: text(page, ".screen .ti .cut") == "Great, Ana", "the page did not follow the file")
    assert text(page, "#state") == "Saved"
    type_into(page, "title", "Super, {{ ${first_name} | default: 'you' }}")
    eventually(lambda: text(page, ".screen .ti .cut") == "Super, Ana", "no preview")
    project.edit("thread_id: lab", "thread_id: course")
    eventually(lambda: page.input_value(field("thread_id")) == "course", "the page did not follow the file")
    assert text(page, ".screen .ti .cut") == "Super, Ana", "the edit was lost"
    project.edit("Great", "Fine")
    page.wait_for_selector("#panel > .find.err")
    page.click("#save")
    page.wait_for_selector("dialog")
    assert "Fine" in text(page, "dialog")
    world.picture(page, "20-conflict-1280", full=False)
    axe(page)
    page.click("text=Keep mine")
    eventually(lambda: "Super" in project.file.read_text(), "mine was not kept")
    assert "thread_id: course" in project.file.read_text()


@story
def s21_broken_yaml_keeps_the_last_preview(world):
    project, page = world.start(query="?editor=file")
    value = page.input_value("#file")
    page.fill("#file", value.replace("body: |-", "body |-"))
    page.wait_for_selector("#panel > .find.err")
    assert "cannot be rendered" in text(page, "#panel > .find.err")
    assert text(page, ".screen .ti .cut") == "Well done, Ana"
    assert "As it was before the error" in text(page, ".fit")
    assert "468 B" in text(page, ".who[aria-current]")
    # The other view of the same text, and other tabs, change nothing about it.
    for view in ["Fields", "File"]:
        page.click(f"#work .seg a:has-text('{view}')")
        page.wait_for_selector(f"#work .seg a[aria-current]:has-text('{view}')")
        assert "As it was before the error" in text(page, ".fit"), text(page, ".fit")
        assert "468 B" in text(page, ".who[aria-current]")
    assert "editor=file" in page.get_attribute(".who >> nth=1", "href")
    world.picture(page, "21-broken-1280", full=False)
    axe(page)
    page.fill("#file", value)
    page.wait_for_selector("#panel > .find.err", state="detached")
    assert text(page, "#state") == "Saved"
    assert not page.query_selector(".stale") and "before the error" not in text(page, ".fit")
    # Nobody is said to receive nothing where no text could be read before.
    page.fill("#file", value.replace("body: |-", "body |-"))
    page.wait_for_selector("#broken")
    page.keyboard.press("Control+s")
    page.wait_for_selector("dialog")
    assert page.evaluate("document.activeElement.textContent") == "Cancel"
    page.keyboard.press("Enter")
    assert "body |-" not in project.file.read_text()
    choose(page, "민준")
    assert "receives nothing" not in text(page, ".fit") and "No app is known" not in text(page, "#checks"), text(page, "#checks")
    page.fill("#file", value)
    page.wait_for_selector("#broken", state="detached")
    choose(page, "Ana")
    # The same in a field, in the middle of a tag.
    page.click(".seg a:has-text('Fields')")
    page.focus(field("title"))
    page.keyboard.press("End")
    page.keyboard.type(" {% if")
    page.wait_for_selector("#broken")
    assert text(page, ".screen .ti .cut") == "Well done, Ana"


@story
def s22_strangers_are_refused(world):
    project, page = world.start()
    url = page.url
    token = re.search(r"/([0-9a-f]{32})/", url)[1]
    server = url.split("/" + token)[0]

    def status(address, method="GET", body=None, **headers):
        request = urllib.request.Request(address, data=body, method=method, headers={name.replace("_", "-"): value for name, value in headers.items()})
        try:
            return urllib.request.urlopen(request).status
        except urllib.error.HTTPError as error:
            return error.code

    assert status(url) == 200
    assert status(server + "/") == 404
    assert status(f"{server}/{'0' * 32}/") == 404
    assert status(url, Host="evil.example") == 421
    assert status(url, Origin="http://evil.example") == 403
    assert status(url, Sec_Fetch_Site="cross-site") == 403
    assert status(f"{server}/{token}/../{CAMPAIGN}") == 404
    assert status(f"{server}/{token}/examples/profiles/ana.json") == 404
    assert status(f"{server}/{token}/form-save", "POST", b"text=x", Content_Type="application/x-www-form-urlencoded") == 403
    assert status(f"{server}/{token}/api/campaign", "PUT", b"{}", Content_Type="text/plain", X_Payloadgen="1") == 415
    # Another page in the same browser: it may neither read nor write.
    evil = world.open("about:blank")
    evil.problems = []
    outcome = evil.evaluate(
        """async (url) => {
          const tries = [
            () => fetch(url), () => fetch(url + "api/state"),
            () => fetch(url + "api/campaign", { method: "PUT", body: "{}", headers: { "Content-Type": "application/json", "X-Payloadgen": "1" } }),
          ];
          const results = [];
          for (const attempt of tries) {
            try { results.push((await attempt()).status); } catch { results.push("blocked"); }
          }
          return results;
        }""",
        f"{server}/{token}/",
    )
    assert outcome == ["blocked"] * 3, outcome
    evil.problems = []


@story
def s23_the_whole_story_by_keyboard(world):
    project, page = world.start()
    # Three keys lead to the title: to the link, over the header and the people, into the field.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the message"
    axe(page)
    world.picture(page, "23-skip-1280", full=False)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "field:title", page.evaluate("document.activeElement.outerHTML")
    page.keyboard.press("Alt+ArrowDown")
    page.wait_for_selector(".who[aria-current]:not(:has-text('Ana'))")
    page.keyboard.press("Alt+ArrowUp")
    page.wait_for_selector(".who[aria-current]:has-text('Ana')")
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog input")
    page.keyboard.type("Title")
    page.keyboard.press("Enter")
    page.wait_for_function("() => !document.querySelector('dialog') && document.activeElement.name === 'field:title'")
    assert page.input_value(field("title")).startswith("Well done"), "the key that chose the field was typed into it"
    page.keyboard.press("End")
    page.keyboard.type(" {{ ${la")
    page.wait_for_selector(".pop li")
    assert "last_name" in text(page, ".pop"), text(page, ".pop")
    assert "Silva" in text(page, ".pop")
    world.picture(page, "23-completion-1280", full=False)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    page.keyboard.press("Backspace")
    page.wait_for_selector(".pop li:has-text('last_name')")
    while "last_name" not in text(page, ".pop li[aria-selected=true]"):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type(" | defau")
    page.wait_for_selector(".pop li:has-text('default: …')")
    page.keyboard.press("Enter")
    page.keyboard.type("'x'")
    assert page.input_value(field("title")).endswith(" | default: 'x'"), page.input_value(field("title"))
    page.keyboard.type(" | upcas }}")
    page.keyboard.press("Escape")
    page.wait_for_selector("#section-title button[name=fix]")
    page.keyboard.press("Control+.")
    eventually(lambda: "upcase }}" in page.input_value(field("title")), page.input_value(field("title")))
    eventually(lambda: text(page, ".screen .ti .cut") == "Well done, Ana SILVA", text(page, ".screen .ti .cut"))
    page.keyboard.press("Control+2")
    page.wait_for_selector(".json")
    page.focus("#tab-payload")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".cards")
    page.keyboard.press("Control+s")
    eventually(lambda: "upcase" in project.file.read_text(), "nothing was saved")
    # Tab leaves the editor.
    page.keyboard.press("Control+1")
    page.wait_for_selector(field("title"))
    page.focus(field("title"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") != "field:title"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    page.wait_for_selector("dialog dl")
    axe(page)


@story
def s23_few_stops_of_the_tab_key(world):
    _, page = world.start()
    stops = []
    while not stops or stops[-1] != "field-title":
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
        assert len(stops) <= 16, stops
    world.note(f"{len(stops)} stops to the title")
    # The arrow keys go between people, and Enter chooses one.
    page.focus(".who[aria-current]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_selector(".who[aria-current]:has-text('Maria')")
    eventually(lambda: page.evaluate("document.activeElement.textContent").startswith("MC"), "the focus is lost")
    page.focus("#phone .seg a[aria-current]")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_selector(".screen.banner")


@story
def s24_without_javascript(world):
    project = world.project()
    server = world.server(project)
    page = world.open(server.url, java_script_enabled=False)
    assert text(page, ".screen .ti .cut") == "Well done, Ana"
    assert "of 4 lines" in text(page, ".fit")
    page.click(".who:has-text('Nobody known')")
    assert text(page, ".screen .ti .cut") == "Well done, you"
    page.fill(field("title"), "Hello {{ ${first_name} | default: 'friend' }}")
    page.click("button.nojs:has-text('Preview')")
    assert text(page, ".screen .ti .cut") == "Hello friend", text(page, ".screen .ti .cut")
    assert "Edited, not saved" in text(page, "#state")
    assert "Well done" in project.file.read_text()
    world.picture(page, "24-without-script-1280")
    page.click("#save")
    assert "Hello {{" in project.file.read_text()
    assert text(page, "#state") == "Saved"
    page.click("#tab-payload")
    assert page.query_selector(".json")
    page.select_option("#menu-seen", "yesterday")
    page.click("#sim button")
    assert "Yesterday" in text(page, ".screen .wh")


@story
def s25_the_page_as_a_file(world):
    project = world.project()
    (project.folder / "examples/profiles/ana.json").write_text(
        (project.folder / "examples/profiles/ana.json").read_text().replace('"Ana"', '"<script>document.title=1</script>"')
    )
    outputs = []
    for name in ["one.html", "two.html"]:
        subprocess.run([world.binary, "preview", CAMPAIGN, "--now", NOW, "--output", name], cwd=project.folder, check=True)
        outputs.append((project.folder / name).read_bytes())
    assert outputs[0] == outputs[1], "two runs gave different bytes"
    world.note(f"{len(outputs[0]):,} bytes with 6 people")
    page = world.open((project.folder / "one.html").as_uri(), offline=True)
    assert page.title() == "lab-progress · payloadgen preview"
    assert page.locator(".screen .ti .cut").first.inner_text().strip() == "Well done, <script>document.title=1</script>"
    page.click(".who:has-text('佐藤')")
    assert "course finished" in text(page, ".one:visible .none >> nth=0")
    page.click("label:has-text('Payload')")
    page.click(".who:has-text('민준')")
    assert page.locator(".json:visible").count() == 1
    world.picture(page, "25-file-1280")
    axe(page)
    page.click("label:has-text('Side by side')")
    axe(page)
    narrow = world.open((project.folder / "one.html").as_uri(), width=360, offline=True, color_scheme="dark")
    no_overflow(narrow)
    axe(narrow)
    world.picture(narrow, "25-file-360-dark")
    bare = world.open((project.folder / "one.html").as_uri(), offline=True, java_script_enabled=False)
    bare.click(".who:has-text('민준')")
    assert bare.locator(".screen:visible").count() == 1


STATES = {
    "message": "?person=1", "payload": "?person=1&tab=payload", "compare": "?person=1&tab=compare",
    "profile": "?person=1&tab=profile", "json": "?person=1&tab=profile&profile=json", "file": "?person=1&editor=file",
    "long": "?person=1&look=long", "nobody": "?person=0", "branches": "?branches=1",
}


def every_state(world, scheme, width):
    project = world.project()
    server = world.server(project)
    page = world.open(server.url, width=width, color_scheme=scheme)
    for name, query in STATES.items():
        page.goto(server.url + query + ("&phone=dark" if scheme == "dark" else ""))
        page.wait_for_selector("html.scripted")
        if page.is_visible("#reached-list"):
            page.click("#reached-list summary")
            # The click scrolls, so that a bar may cover half of a control, which axe would call too small.
            page.evaluate("scrollTo(0, 0)")
        no_overflow(page)
        axe(page)
        if width in (360, 1280):
            world.picture(page, f"26-{name}-{width}-{scheme}", full=width == 360)
    assert not page.problems, page.problems


def add_states():
    for scheme in ["light", "dark"]:
        for width in [320, 360, 960, 1280]:
            def states(world, scheme=scheme, width=width):
                every_state(world, scheme, width)
            states.__name__ = f"s26_every_state_{width}_{scheme}"
            story(states)


add_states()


@story
def s26_forced_colours_and_zoom(world):
    project = world.project()
    server = world.server(project)
    page = world.open(server.url, forced_colors="active")
    axe(page)
    world.picture(page, "26-forced-colours-1280")
    # 200 % zoom is half the width and height in CSS pixels.
    page = world.open(server.url, width=640, height=416, device_scale_factor=2)
    no_overflow(page)
    world.picture(page, "26-zoom-640")


@story
def s27_many_people(world):
    project = world.project()
    ana = json.loads((project.folder / "examples/profiles/ana.json").read_text())
    with open(project.folder / "many.ndjson", "w") as file:
        for number in range(100_000):
            ana["external_id"] = f"user-{number}"
            ana["first_name"] = f"User{number}"
            file.write(json.dumps(ana) + "\n")
    server = world.server(project, "--profiles", "many.ndjson")
    before = time.monotonic()
    page = world.open(server.url)
    first = time.monotonic() - before
    assert page.locator(".who").count() == 201
    assert "100,000 profiles" in text(page, "#people")
    page.click("text=Later")
    page.wait_for_selector(".who:has-text('User200')")
    memory = 0
    with contextlib.suppress(OSError):
        memory = int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{server.process.pid}/status").read_text())[1]) // 1024
    world.note(f"100,000 profiles: first page after {first * 1000:.0f} ms, {memory} MB")
    no_overflow(page)


worker = {}


def begin_worker(binary, pictures):
    """Starts the browser of a process."""
    chromium = next((found for name in ["chromium", "chromium-browser", "google-chrome"] if (found := shutil.which(name))), None)
    playwright = sync_playwright().start()
    worker["browser"] = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
    worker["binary"] = binary
    worker["pictures"] = pictures


def run_story(index):
    """Runs one story; returns its index, whether it passed, and its report."""
    function = STORIES[index]
    world = World(worker["binary"], worker["browser"], worker["pictures"])
    begin = time.monotonic()
    try:
        function(world)
        assert not world.others, f"requests to other hosts: {world.others}"
        lines = [f"ok   {function.__name__} ({time.monotonic() - begin:.1f} s)"] + ["     " + note for note in world.notes]
        return index, True, "\n".join(lines)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)
        line = next((frame.lineno for frame in reversed(place) if frame.filename == __file__), 0)
        return index, False, f"FAIL {function.__name__}, line {line}: {str(error)[:1500]}"
    finally:
        world.stack.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_intermixed_args()
    binary = os.path.abspath(arguments.binary)
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    chosen = [
        index for index, function in enumerate(STORIES)
        if not arguments.words or any(word in function.__name__ for word in arguments.words)
    ]
    start = time.monotonic()
    failed = run_stories(chosen, arguments.jobs, binary, arguments.pictures)
    # A machine that does something else meanwhile may be too slow for two browsers, but not for one.
    if failed and arguments.jobs > 1:
        print("once more, one after the other:")
        failed = run_stories(failed, 1, binary, arguments.pictures)
    print(f"{len(chosen)} stories, {len(failed)} failed, {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


def run_stories(indices, jobs, binary, pictures):
    """Runs stories in so many browsers; returns those that failed."""
    failed = []
    with multiprocessing.Pool(jobs, begin_worker, (binary, pictures)) as pool:
        for index, passed, report in pool.imap_unordered(run_story, indices):
            if not passed:
                failed.append(index)
            print(report, flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
