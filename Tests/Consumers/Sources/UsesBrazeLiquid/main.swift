// SPDX-License-Identifier: MIT

import BrazeLiquid

let names = LiquidObject([(key: "first_name", value: .string("Ana")), (key: "user_id", value: .string("ana-1"))])
let context = try RenderContext(shortForm: LiquidObject([(key: "user", value: .object(names))]))
let file = SourceFile(path: "title", text: "Hi {{ ${first_name} }}{% message_extras :key who :value Ana %}")
var renderer = BrazeRenderer(BrazeSettings(clock: Time(seconds: 1_795_165_200), limits: Limits()))
renderer.begin(context, recordID: "ana-1")
let title = try Template(file.bytes, name: file.path, environment: BrazeEnvironment.standard)
switch try renderer.render(title, field: "title") {
case .rendered: print(renderer.text)
case .aborted(let reason): print("aborted:", reason)
}
for (key, value) in renderer.messageExtras { print("extra", key, value) }
print("read the clock:", renderer.readsClock)

// What it reads, and where.
for read in title.analysis().reads {
    let position = file.position(of: Int(read.range.start))
    print("reads", read.path.attribute?.name ?? "-", "at", position.line, position.column)
}

// Reading and rendering that fails.
do throws(LiquidError) {
    _ = try Template("{% connected_content %}", environment: BrazeEnvironment.strict)
} catch {
    print(error.code.rawValue, error.message, error.range?.offsets ?? 0..<0)
}
let filters = BrazeFilters.all.map(\.name)
print(filters.contains("json_escape"), BrazeTags.all.map(\.name).contains("abort_message"))
