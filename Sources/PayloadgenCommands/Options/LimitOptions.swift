// SPDX-License-Identifier: MIT

import ArgumentParser
import LiquidTemplates
import PayloadKit
import PayloadLinting

/// The options that set the limits of rendering, one for each ``Limit``.
struct LimitOptions: ParsableArguments {
    @Option(help: help(.work))
    var maxWork: Int?

    @Option(help: help(.seconds))
    var maxSeconds: Int?

    @Option(help: help(.liveBytes))
    var maxLiveBytes: Int?

    @Option(help: help(.stringBytes))
    var maxStringBytes: Int?

    @Option(help: help(.outputBytes))
    var maxOutputBytes: Int?

    @Option(help: help(.depth))
    var maxDepth: Int?

    private static func help(_ limit: Limit) -> ArgumentHelp {
        ArgumentHelp("\(limit.summary) (default: \(Limits()[limit]))", valueName: "n")
    }

    private func given(_ limit: Limit) -> Int? {
        switch limit {
        case .outputBytes: maxOutputBytes
        case .stringBytes: maxStringBytes
        case .liveBytes: maxLiveBytes
        case .work: maxWork
        case .seconds: maxSeconds
        case .depth: maxDepth
        }
    }

    func validate() throws {
        for limit in Limit.allCases {
            guard let value = given(limit), !limit.range.contains(value) else { continue }
            throw ValidationError("found \(limit.option) \(value), expected \(limit.rangeText)")
        }
    }

    /// Sets the limits of rendering; an option has precedence over the project's configuration.
    func apply(to options: inout RenderOptions, _ configuration: ProjectConfiguration? = nil) {
        options.limits = limits(configuration)
        options.stopwatch = ProcessorStopwatch()
    }

    /// The limits of rendering: from the options, or else from the project, or else the defaults.
    func limits(_ configuration: ProjectConfiguration? = nil) -> Limits {
        var limits = Limits()
        for limit in Limit.allCases {
            if let value = given(limit) ?? configuration?.limits[limit] { limits[limit] = value }
        }
        return limits
    }
}
