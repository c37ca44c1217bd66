// SPDX-License-Identifier: MIT

import PayloadKit

let plist = """
    <plist version="1.0"><dict><key>NSExtension</key><dict>
    <key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.content-extension</string>
    <key>NSExtensionAttributes</key><dict>
    <key>UNNotificationExtensionCategory</key><string>lab</string></dict></dict></dict></plist>
    """
let app = try App(
    files: [
        SourceFile(path: "Lab/Info.plist", text: plist),
        SourceFile(path: "Lab/payloadgen.extras.yml", text: "count: {type: integer, required: true}"),
    ],
    name: "Demo"
)
for candidate in app.contentExtensions {
    let category = candidate.categories.first
    print(candidate.kind, category?.value ?? "-", category?.place?.start.line ?? 0, candidate.extras?.map(\.key) ?? [])
}

let text = """
    push:
      title: "Hi {{ ${first_name} }}"
      category: lab
      extras: {count: "{{ api_trigger_properties.${count} }}"}
    """
let campaign = try Campaign(file: SourceFile(path: "hello.campaign.yml", text: text), folder: MemoryFolder())
for (field, value) in campaign.push.fields { print(field.name, value.place?.start.line ?? 0) }
let ana = try Profile(file: SourceFile(path: "ana.json", text: #"{"external_id": "ana-1", "first_name": "Ana"}"#))
let renderer = try campaign.renderer(options: RenderOptions(now: Time(seconds: 1_795_165_200)))

func report(_ finding: Diagnostic) {
    let place = finding.place
    print("\(place?.file.path ?? "-"):\(place?.start.line ?? 0):\(place?.start.column ?? 0)", terminator: " ")
    print(finding.severity, finding.rule.name, finding.message)
    for other in finding.related { print("  \(other.place.file.path):\(other.place.start.line) \(other.message)") }
}

for count in ["5", "many"] {
    let properties = LiquidObject([(key: "count", value: Value.string(count))])
    switch renderer.render(ana, triggerProperties: properties) {
    case .rendered(let payload):
        print(payload.text, payload.headers["apns-push-type"] ?? "-")
        print(payload.size.bytes, payload.size.share, payload.size.isOverLimit)
        for extra in payload.extras { print(extra.key, extra.value, extra.isJSON) }
        app.check(payload).forEach(report)
        var json = JSONWriter()
        Record(id: ana.id, outcome: .rendered(payload)).write(into: &json)
        print(json.buffer.string().prefix(40))
    case .aborted(let reason): print("aborted", reason)
    case .failed(let error): error.diagnostics.forEach(report)
    }
}
renderer.staticFindings(app: App(name: "Other")).forEach(report)

// A file that is no campaign.
do throws(InputError) {
    _ = try Campaign(file: SourceFile(path: "wrong.campaign.yml", text: "push: {titel: x}"))
} catch {
    print(error.reason)
    error.diagnostics.forEach(report)
}
