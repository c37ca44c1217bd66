// SPDX-License-Identifier: MIT

import Foundation
import PayloadKit

/// One example campaign, rendered again and again for one user.
struct Workload {
    static let names = ["match-game", "lab-progress", "lab-register"]

    /// The rounds before anything is measured.
    private static let warmUp = 50

    private let renderer: CampaignRenderer
    private let profile: Profile
    private let properties: LiquidObject

    init(_ name: String) throws {
        var options = RenderOptions(now: Time(seconds: 1_795_165_200))
        options.timeZones = SystemTimeZones()
        renderer = try Campaign(contentsOf: "templates/\(name).campaign.yml").renderer(options: options)
        profile = try Profile(contentsOf: "examples/profiles/ana.json")
        let file = "examples/trigger/lab-progress.json"
        let bytes = try Data(contentsOf: URL(filePath: file))
        properties = try LiquidObject(propertiesIn: SourceFile(path: file, bytes: Array(bytes)))
    }

    /// Renders, and says how many allocations a render made and how many blocks it left behind.
    func measure(_ count: Int) -> (allocations: Double, kept: Double) {
        var session = renderer.session()
        render(Self.warmUp, &session)
        let before = AllocationCounter.now()
        render(count, &session)
        let after = AllocationCounter.now()
        let allocations = Double(after.allocations - before.allocations)
        let kept = allocations - Double(after.releases - before.releases)
        return (allocations / Double(count), kept / Double(count))
    }

    private func render(_ count: Int, _ session: inout RenderSession) {
        for _ in 0..<count {
            guard case .rendered = session.render(profile, triggerProperties: properties) else {
                Program.fail("an example does not render")
            }
        }
    }
}

/// The numbers of the counter that `LD_PRELOAD` loads; zero without it.
enum AllocationCounter {
    static func now() -> (allocations: Int, releases: Int) {
        (count("payloadgen_allocations"), count("payloadgen_releases"))
    }

    private static func count(_ name: String) -> Int {
        guard let symbol = dlsym(nil, name) else { return 0 }
        return Int(unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)())
    }
}
