// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import LiquidTemplates

/// The value of an option for a time: an instant in ISO 8601, such as `2026-11-20T09:00:00Z`.
struct TimeArgument: ExpressibleByArgument {
    let time: Time

    init?(argument: String) {
        guard let time = Time(iso8601: argument) else { return nil }
        self.time = time
    }
}

extension Time {
    /// The current time of the system's clock, in whole seconds.
    static var current: Time { Time(seconds: Int(Date().timeIntervalSince1970.rounded(.down))) }
}
