// SPDX-License-Identifier: MIT

import Foundation
import PayloadKit

/// Renders a campaign for a user and checks it against an app, as a campaign tool would before it sends anything.
///
/// `swift run RenderCampaigns CAMPAIGN PROFILE APP`, each with a path.
@main
struct RenderCampaigns {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3 else { return fail("usage: RenderCampaigns CAMPAIGN PROFILE APP") }
        let paths = Array(arguments)
        do {
            try render(campaign: paths[0], profile: paths[1], app: paths[2])
        } catch let error as InputError {
            report(error.diagnostics)
        } catch {
            fail("\(error)")
        }
    }

    private static func render(campaign: String, profile: String, app: String) throws {
        let campaign = try Campaign(contentsOf: campaign)
        let profile = try Profile(contentsOf: profile)
        let app = try App(contentsOf: app)

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
    }

    private static func report(_ findings: [Diagnostic]) {
        let renderer = DiagnosticRenderer()
        for finding in findings { FileHandle.standardError.write(Data(renderer.text(of: finding).utf8)) }
        if findings.contains(where: { $0.severity == .error }) { exit(1) }
    }

    private static func fail(_ message: String) {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(64)
    }
}
