# SPDX-License-Identifier: MIT
"""A stand-in of Braze's REST export API on the loopback, with faults on demand.

    stand_in.py FOLDER [--generate campaigns=300,canvases=40,blocks=200,attributes=800]

FOLDER holds workspace.json, which --generate writes, and may hold faults.json: a list of {"path", "kind", "times"?,
"query"?}. Both are read again for each request, so that a test can change them. The first line of standard output is
the port, and it ends with its standard input; requests.log gets a line for each request, with the largest number of requests at once. The shapes are those of
the public documentation of Braze; nothing here was recorded. The key is 00000000-0000-4000-8000-00000000c0de.
"""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

KEY = "00000000-0000-4000-8000-00000000c0de"


def generated(counts):
    def uuid(kind, number, part=0):
        return f"{number:08x}-{kind:04x}-4000-8000-{part:012x}"

    def push(number, name):
        return {
            "channel": "ios_push",
            "name": name,
            "alert": f"Hi {{{{${{first_name}} | default: 'you'}}}}, offer {number} ends soon: it's \"new\" # {number}",
            "extras": {"screen": "offer", "offer_id": str(number), "level": "{{custom_attribute.${attribute_0001} | default: 0}}"},
            "title": f"Offer {number}",
            "action": f"shop://offers/{number}",
            "image_url": None,
            "large_image_url": None,
        }

    def details(number, name, extra):
        times = {"created_at": "2026-04-28T08:15:22+00:00", "updated_at": "2026-05-12T09:41:07+00:00"}
        state = {"archived": False, "draft": False, "enabled": True, "has_post_launch_draft": False}
        return {"message": "success", **times, **state, "name": name, "description": None, "tags": ["generated"], **extra}

    campaigns, canvases, blocks = {}, {}, {}
    for number in range(counts.get("campaigns", 0)):
        messages = {uuid(1, number, 1): push(number, "Variation 1"), uuid(1, number, 2): push(number, "Variation 2")}
        messages[uuid(1, number, 3)] = {"channel": "email", "name": "Mail", "subject": "x", "body": "y", "headers": {"X-Secret": "s3cret"}}
        campaigns[uuid(0, number)] = details(number, f"Campaign {number} – spring", {"messages": messages, "last_sent": str(time.time())})
    for number in range(counts.get("canvases", 0)):
        steps = [
            {"name": f"Step {step}", "type": "message", "id": uuid(3, number, step), "next_paths": [], "messages": {
                uuid(4, number, step): push(number, f"Step {step}")}}
            for step in range(2)
        ]
        canvases[uuid(2, number)] = details(number, f"Canvas {number}", {"steps": steps, "variants": []})
    for number in range(counts.get("blocks", 0)):
        blocks[uuid(5, number)] = {
            "content_block_id": uuid(5, number), "name": f"block_{number:03}", "content_type": "text", "tags": ["generated"],
            "description": f"Block {number}", "content": f"Line {number}\n{{{{${{first_name}} | default: 'you'}}}}", "inclusion_count": number,
        }
    attributes = [
        {"name": f"attribute_{number:04}", "data_type": ["String", "Number (Automatically Detected)", "Boolean", "Date"][number % 4],
         "description": None, "array_length": None, "status": "Active", "tag_names": []}
        for number in range(counts.get("attributes", 0))
    ]
    catalogs = [{"name": "products", "description": None, "num_items": 5, "updated_at": "x", "source": "Braze",
                 "fields": [{"name": "title", "type": "string"}, {"name": "id", "type": "string"}],
                 "selections": [{"name": "gifts", "description": None}]}]
    events = [f"event {number}" for number in range(counts.get("events", 300))]
    return {"campaigns": campaigns, "canvases": canvases, "blocks": blocks, "attributes": attributes, "catalogs": catalogs, "events": events}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    active = most = number = 0
    used = {}
    folder = "."

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        with Handler.lock:
            Handler.active += 1
            Handler.number += 1
            Handler.most = max(Handler.most, Handler.active)
        try:
            self.answer()
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            with Handler.lock:
                with open(os.path.join(Handler.folder, "requests.log"), "a") as log:
                    log.write(f"{self.path} most={Handler.most}\n")

    def read(self, name, default):
        try:
            with open(os.path.join(Handler.folder, name)) as file:
                return json.load(file)
        except FileNotFoundError:
            return default

    def reply(self, status, body, headers=(), kind="application/json"):
        with Handler.lock:
            Handler.active -= 1
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("X-Request-Id", f"stand-in-{Handler.number}")
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def fault(self, path, query):
        for index, fault in enumerate(self.read("faults.json", [])):
            if not path.startswith(fault["path"]) or fault.get("query", "") not in query:
                continue
            with Handler.lock:
                count = Handler.used.get(index, 0) + 1
                Handler.used[index] = count
            if count <= fault.get("times", 1 << 30):
                return fault["kind"]
        return None

    def answer(self):
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        kind = self.fault(parts.path, parts.query)
        sent = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if kind == "401" or sent != KEY:
            empty = [(f"X-RateLimit-{name}", "") for name in ("Limit", "Remaining", "Reset")]
            return self.reply(401, {"message": f"Invalid API key: {sent}"}, empty)
        if kind == "403":
            return self.reply(403, {"message": "Access Denied"})
        if kind == "404":
            return self.reply(404, {"message": "Invalid URL"})
        if kind == "429":
            return self.reply(429, {"message": "Rate limit exceeded"})
        if kind == "429-retry-after":
            return self.reply(429, {"message": "Rate limit exceeded"}, [("Retry-After", "0")])
        if kind == "429-reset":
            return self.reply(429, {}, [("X-RateLimit-Reset", str(int(time.time()) + 1))])
        if kind == "429-far":
            return self.reply(429, {}, [("X-RateLimit-Reset", str(int(time.time()) + 90_000))])
        if kind == "500":
            return self.reply(500, {"message": "internal"}, [("Retry-After", "0")])
        if kind == "502-html":
            return self.reply(502, b"<html><h1>502 Bad Gateway</h1></html>", [("Retry-After", "0")], "text/html")
        if kind == "html":
            return self.reply(200, b"<html>proxy login</html>", (), "text/html")
        if kind == "not-success":
            return self.reply(200, {"message": "content not available"})
        if kind == "broken-json":
            return self.reply(200, b'{"message": "success", "campaigns": [')
        if kind == "redirect":
            return self.reply(302, {}, [("Location", "http://127.0.0.1:9/stolen")])
        if kind == "stall":
            with Handler.lock:
                Handler.active -= 1
            time.sleep(20)
            return None
        if kind == "slow":
            time.sleep(2)
        if kind == "drop":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"mess")
            self.close_connection = True
            with Handler.lock:
                Handler.active -= 1
            return None
        body, headers = self.body(parts.path, query, kind)
        if body is None:
            return self.reply(404, {"message": "Invalid URL"})
        if kind == "key-in-body":
            body = json.loads(json.dumps(body).replace("Offer", f"Offer {sent}"))
        return self.reply(200 if "errors" not in body else 400, body, headers)

    def body(self, path, query, kind):
        space = self.read("workspace.json", {})
        page = 0 if kind == "repeat" else int(query.get("page", 0))

        def rows(table):
            hidden = [id for id, row in table.items() if row.get("archived") and query.get("include_archived") != "true"]
            listed = [id for id in table if id not in hidden]
            return [{"id": id, "name": table[id]["name"], "last_edited": "x", "tags": [None]} for id in listed[page * 100:page * 100 + 100]]

        def details(table, key):
            row = table.get(query.get(key))
            if row is None:
                return {"message": f"{key} must be a string of the api identifier", "errors": []}
            drafts = row.get("draft_details")
            shown = drafts if drafts and query.get("post_launch_draft_version") == "true" else row
            return {name: value for name, value in shown.items() if name != "draft_details"}

        success = {"message": "success"}
        if path == "/campaigns/list":
            return {**success, "campaigns": rows(space["campaigns"])}, ()
        if path == "/canvas/list":
            return {**success, "canvases": rows(space["canvases"])}, ()
        if path == "/campaigns/details":
            return details(space["campaigns"], "campaign_id"), ()
        if path == "/canvas/details":
            return details(space["canvases"], "canvas_id"), ()
        if path == "/campaigns/translations":
            keys = space.get("translations", {}).get(query.get("message_variation_id"))
            if keys is None:
                return {"errors": [{"message": "This message does not support multi-language."}]}, ()
            return {**success, "translations": [{"translation_map": {}, "locale": {"locale_key": key}} for key in keys]}, ()
        if path == "/content_blocks/list":
            if query.get("offset") == "0":
                return {"message": "Offset must be greater than 0.", "errors": []}, ()
            start = 0 if kind == "repeat" else int(query.get("offset", 0))
            some = list(space["blocks"].values())[start:start + int(query.get("limit", 100))]
            return {**success, "count": len(some), "content_blocks": [{k: v for k, v in block.items() if k != "content"} for block in some]}, ()
        if path == "/content_blocks/info":
            return {**success, **space["blocks"][query["content_block_id"]]}, ()
        if path == "/custom_attributes":
            start = int(query.get("cursor", 0))
            headers = []
            if start + 50 < len(space["attributes"]):
                host = {"link-elsewhere": "http://127.0.0.1:9"}.get(kind, f"http://{self.headers['Host']}")
                next_start = start if kind == "repeat" else start + 50
                headers = [("Link", f'<{host}/custom_attributes?cursor={next_start}>; rel="next"')]
            return {**success, "attributes": space["attributes"][start:start + 50]}, headers
        if path == "/catalogs":
            return {**success, "catalogs": space["catalogs"]}, ()
        if path == "/events/list":
            return {**success, "events": space["events"][page * 250:page * 250 + 250]}, ()
        return None, ()


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    Handler.folder = sys.argv[1]
    if "--generate" in sys.argv:
        counts = dict(part.split("=") for part in sys.argv[sys.argv.index("--generate") + 1].split(","))
        with open(os.path.join(Handler.folder, "workspace.json"), "w") as file:
            json.dump(generated({name: int(count) for name, count in counts.items()}), file)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
