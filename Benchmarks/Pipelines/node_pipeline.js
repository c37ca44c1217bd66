// SPDX-License-Identifier: MIT
// A lower bound for Node: JSON.parse, and the lab-progress push put together by hand where a Liquid engine would render
// it. Reads NDJSON, writes records, no checks.
//
// Usage: node node_pipeline.js PROFILES TRIGGER
const fs = require("fs");
const readline = require("readline");

const trigger = JSON.parse(fs.readFileSync(process.argv[3]));
const date = new Date(trigger.next_session_complete_date);
const until = date.toLocaleDateString("en-US", { month: "long", day: "numeric", timeZone: "UTC" });
const lines = readline.createInterface({ input: fs.createReadStream(process.argv[2]), crlfDelay: Infinity });
let number = 0;
let output = [];
lines.on("line", (line) => {
  number += 1;
  const profile = JSON.parse(line);
  const custom = profile.custom_attributes || {};
  const done = custom.completed_session_count ?? 0;
  const total = custom.total_session_count ?? 12;
  const record = { id: profile.external_id || profile.braze_id, line: number };
  if (total - done < 1) {
    Object.assign(record, { status: "aborted", reason: "course finished" });
  } else {
    const payload = {
      aps: {
        alert: {
          title: `Well done, ${profile.first_name || "you"}`,
          body: `You finished ${done} of ${total} sessions. Next: ${trigger.next_session_name}, until ${until}. See you in the LAB.`,
        },
        badge: 1, sound: "default", "thread-id": "lab", category: "lab_progress",
      },
      completed_session_count: String(done), total_session_count: String(total),
      next_session_name: trigger.next_session_name,
      next_session_complete_date: trigger.next_session_complete_date,
      sessions: { done, name: profile.first_name || "" },
      ab_uri: "bookdemo://lab/progress", ab_use_webview: false, ab: { c: "91c4d0b2-lab-progress" },
    };
    const json = JSON.stringify(payload);
    Object.assign(record, { status: "rendered", bytes: Buffer.byteLength(json), payload });
  }
  output.push(JSON.stringify(record));
  if (output.length === 1000) {
    fs.writeSync(1, output.join("\n") + "\n");
    output = [];
  }
});
lines.on("close", () => output.length && fs.writeSync(1, output.join("\n") + "\n"));
