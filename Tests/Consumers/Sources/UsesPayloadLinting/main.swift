// SPDX-License-Identifier: MIT

import Foundation
import PayloadLinting

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

// Nothing is on disk: the texts are those of an editor.
let plist = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
        <key>CFBundleIdentifier</key>
        <string>com.example.lab</string>
        <key>CFBundleIdentifier</key>
        <string>com.example.lab</string>
        <key>NSExtension</key>
        <dict>
            <key>NSExtensionPointIdentifier</key>
            <string>com.apple.usernotifications.content-extension</string>
            <key>NSExtensionMainStoryboard</key>
            <string>MainInterface</string>
            <key>NSExtensionAttributes</key>
            <dict>
                <key>UNNotificationExtensionCategory</key>
                <string>lab</string>
                <key>UNNotificationExtensionInitialContentSizeRatio</key>
                <real>0.5</real>
                <key>UNNotificationExtensionUserInteractionEnabled</key>
                <string>YES</string>
            </dict>
        </dict>
    </dict>
    </plist>
    """
var options = ProjectOptions(workingFolder: folder.path)
options.unsavedTexts = ["Lab/Info.plist": plist]
options.configuration = try ProjectConfiguration(
    SourceFile(path: ".payloadgen.yml", text: "rules: {duplicate-key: warning}"), folder: folder.path
)
let linter = Linter(options: options)
let outcome = try linter.check(["."])
let file = SourceFile(path: "Lab/Info.plist", text: plist)
for finding in Linter.reported(outcome.diagnostics) {
    print(finding.rule.name, finding.severity, finding.message)
    if let place = finding.place {
        print("  from", place.file.path, place.start.line, place.start.column, "to", place.end.line, place.end.column)
        print("  offsets", place.range.offsets, place.file.text(in: place.range))
    }
    for other in finding.related { print("  related", other.message, other.place.start.line) }
    for fix in finding.fixes {
        for edit in fix.edits { print("  fix", fix.message, edit.range.offsets, edit.replacement) }
    }
    print(DiagnosticRenderer().text(of: finding), terminator: "")
}
let fixed = FixIt.apply(outcome.diagnostics.flatMap(\.fixes), to: file)
print(fixed.applied.count, "applied,", fixed.conflicting.count, "in conflict,", fixed.bytes.count, "bytes")

// Rules, with their documentation.
if let rule = Rule.named("boolean-type") {
    print(rule.id.name, rule.id.severity, rule.id.summary)
    print(rule.failing.first?.files.first?.ranges.count ?? 0, "marked")
}
do throws(InputError) {
    _ = try linter.lint(["nowhere"])
} catch {
    print(error.reason, error.diagnostics.map(\.message))
}
