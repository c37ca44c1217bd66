// SPDX-License-Identifier: MIT

import InAppScenarios

let text = """
    version: 1
    messages:
      - {id: welcome, triggers: [session_start]}
    timeline:
      - {at: 0, event: session_start}
      - {at: 5, dismiss: true}
    expect:
      - {at: 0, message: welcome, action: shown}
      - {at: 6, message: welcome, action: closed}
    """
let file = try ScenarioFile(SourceFile(path: "welcome.yml", text: text))
print(file.scenario.messages.map(\.id), file.start.seconds)
for line in try file.simulation(settings: BrazeSettings(clock: file.start)).run() {
    print(line.time, line.message ?? "-", line.action.rawValue, line.why)
}
for failure in try file.failures(context: RenderContext.empty) {
    let position = failure.place?.start
    print(failure.severity, failure.rule.name, position?.line ?? 0, position?.column ?? 0, failure.message)
}
do throws(InputError) {
    _ = try ScenarioFile(SourceFile(path: "wrong.yml", text: "version: 1\ntimelin: []\n"))
} catch {
    for finding in error.diagnostics { print(finding.place?.start.line ?? 0, finding.message) }
}
