// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit
import Testing

/// Short ways to a rendered message.
enum Messages {
    static let now = Time(seconds: 1_795_165_200)

    static func campaign(_ text: String, _ files: [String: String] = [:]) throws -> Campaign {
        try Campaign(file: SourceFile(path: "a.campaign.yml", text: text), folder: MemoryFolder(files))
    }

    static func profile(_ json: String) throws -> Profile {
        try Profile(file: SourceFile(path: "profile.json", text: json))
    }

    static func outcome(
        _ text: String,
        profile json: String = "{}",
        trigger: String = "{}",
        _ change: (inout RenderOptions) -> Void = { _ in }
    ) throws -> Outcome {
        var options = RenderOptions(now: now)
        change(&options)
        let trigger = try LiquidObject(propertiesIn: SourceFile(path: "trigger.json", text: trigger))
        return try campaign(text).renderer(options: options).render(profile(json), triggerProperties: trigger)
    }

    static func payload(
        _ text: String,
        profile json: String = "{}",
        trigger: String = "{}",
        _ change: (inout RenderOptions) -> Void = { _ in }
    ) throws -> Payload {
        let outcome = try outcome(text, profile: json, trigger: trigger, change)
        guard case .rendered(let payload) = outcome else {
            Issue.record("no payload: \(outcome)")
            throw InputError(.invalid, [])
        }
        return payload
    }

    static func failure(_ text: String, profile json: String = "{}") throws -> RenderError {
        let outcome = try outcome(text, profile: json)
        guard case .failed(let error) = outcome else {
            Issue.record("no failure: \(outcome)")
            throw InputError(.invalid, [])
        }
        return error
    }
}
