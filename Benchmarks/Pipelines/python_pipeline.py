# SPDX-License-Identifier: MIT
"""The lab-progress push in an afternoon of Python: orjson and python-liquid. Reads NDJSON, writes records, no checks.

Usage: python_pipeline.py PROFILES TRIGGER
"""
import sys

import orjson
from liquid import Environment

from texts import AbortMessage, EXTRAS, TEXTS, context

environment = Environment()
environment.add_filter("json_escape", lambda text: orjson.dumps(str(text)).decode()[1:-1])
templates = {name: environment.from_string(text) for name, text in TEXTS.items()}
trigger = orjson.loads(open(sys.argv[2], "rb").read())
write = sys.stdout.buffer.write
for number, line in enumerate(open(sys.argv[1], "rb"), 1):
    profile = orjson.loads(line)
    texts = {name: template.render(**context(profile, trigger)) for name, template in templates.items()}
    record = {"id": profile.get("external_id") or profile.get("braze_id"), "line": number}
    if AbortMessage in texts["body"]:
        record |= {"status": "aborted", "reason": "course finished"}
    else:
        payload = {
            "aps": {"alert": {"title": texts["title"], "body": texts["body"]}, "badge": 1, "sound": "default",
                    "thread-id": "lab", "category": "lab_progress"},
            **{name: texts[name] for name in EXTRAS}, "sessions": orjson.loads(texts["sessions"]),
            "ab_uri": "bookdemo://lab/progress", "ab_use_webview": False, "ab": {"c": "91c4d0b2-lab-progress"},
        }
        json = orjson.dumps(payload)
        record |= {"status": "rendered", "bytes": len(json), "payload": orjson.Fragment(json)}
    write(orjson.dumps(record) + b"\n")
