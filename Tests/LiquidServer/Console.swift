// SPDX-License-Identifier: MIT

import Foundation
import LiquidTemplates

/// Standard output and error.
enum Console {
    static func write(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data(("liquid-server: " + message + "\n").utf8))
        exit(64)
    }
}

extension Time {
    /// The time of the system's clock, in whole seconds.
    static var current: Time {
        let now = Date().timeIntervalSince1970
        return Time(seconds: Int(now.rounded(.down)))
    }
}
