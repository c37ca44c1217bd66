// SPDX-License-Identifier: MIT

import Foundation
import PayloadKit

// Renders a campaign for a user and checks it against an app, as a campaign tool would before it sends anything.
let paths = Array(CommandLine.arguments.dropFirst())
guard paths.count == 3 else {
    FileHandle.standardError.write(Data("usage: RenderCampaigns CAMPAIGN PROFILE APP\n".utf8))
    exit(64)
}

func report(_ findings: [Diagnostic]) {
    let renderer = DiagnosticRenderer()
    for finding in findings { FileHandle.standardError.write(Data(renderer.text(of: finding).utf8)) }
    if findings.contains(where: { $0.severity == .error }) { exit(1) }
}

do {
    let campaign = try Campaign(contentsOf: paths[0])
    let profile = try Profile(contentsOf: paths[1])
    let app = try App(contentsOf: paths[2])

    // Rendering reads no clock: the caller decides what `now` is.
    var options = RenderOptions(now: Time(seconds: Int(Date().timeIntervalSince1970)))
    options.timeZones = SystemTimeZones()
    let renderer = try campaign.renderer(options: options)

    let properties = LiquidObject([(key: "next_session_name", value: Value.string("Segments"))])
    switch renderer.render(profile, triggerProperties: properties) {
    case .rendered(let payload):
        print(payload.text)
        print("\(payload.size.bytes) bytes, of which \(payload.size.share) are the campaign's")
        report(app.check(payload) + payload.warnings)
    case .aborted(let reason):
        print("not sent: \(reason)")
    case .failed(let error):
        report(error.diagnostics)
    }
} catch {
    report(error.diagnostics)
}
