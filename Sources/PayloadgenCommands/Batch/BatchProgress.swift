// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles

/// The line on a terminal that shows the progress of a batch.
///
/// Only one thread at a time shows it, but any thread may report the number of bytes that it has read. The conformance
/// is unchecked: apart from the locked number, only the time of the last line changes, and only the thread that shows
/// the line uses it.
final class BatchProgress: @unchecked Sendable {
    private let total: Int?
    private let bytes = Locked(0)
    private let start: DispatchTime
    private var shown: DispatchTime?

    /// The minimum number of nanoseconds between two updates.
    private static let interval: UInt64 = 200_000_000

    /// Creates the line; nil if standard error is not a terminal, or if records are written to a terminal.
    ///
    /// - Parameters:
    ///   - sources: the profiles.
    ///   - output: the path of the output; nil for standard output.
    init?(_ sources: [ProfileSource], output: String?) {
        guard StandardStream.error.isTerminal, output != nil || !StandardStream.output.isTerminal else { return nil }
        let counts = sources.compactMap(\.count)
        total = counts.count == sources.count ? counts.reduce(0, +) : nil
        start = .now()
    }

    func note(bytes count: Int) { bytes.withLock { $0 = count } }

    /// Updates the line, unless it was updated a moment ago.
    func show(profiles: Int) {
        let now = DispatchTime.now()
        guard now.nanoseconds(since: shown ?? start) >= Self.interval else { return }
        shown = now
        let line = Self.line(profiles: profiles, nanoseconds: now.nanoseconds(since: start), part: part)
        try? StandardStream.error.write("\r\u{1B}[K\(line)")
    }

    /// Removes the line.
    func clear() {
        if shown != nil { try? StandardStream.error.write("\r\u{1B}[K") }
    }

    private var part: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, Double(bytes.withLock { $0 }) / Double(total))
    }

    /// The text of the line: profiles, rate, and the remaining time where it can be estimated.
    static func line(profiles: Int, nanoseconds: UInt64, part: Double?) -> String {
        let seconds = Double(nanoseconds) / 1e9
        let rate = seconds > 0 ? Int(Double(profiles) / seconds) : 0
        var line = "\(profiles) profiles, \(rate) a second"
        if let part, part > 0 {
            line += ", \(Int(part * 100)) %, \(time(seconds * (1 - part) / part)) left"
        }
        return line
    }

    private static func time(_ seconds: Double) -> String {
        let seconds = Int(seconds.rounded(.up))
        if seconds < 100 { return "\(seconds) s" }
        return seconds < 6_000 ? "\((seconds + 30) / 60) min" : "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
    }
}

extension DispatchTime {
    fileprivate func nanoseconds(since start: DispatchTime) -> UInt64 { uptimeNanoseconds - start.uptimeNanoseconds }
}
