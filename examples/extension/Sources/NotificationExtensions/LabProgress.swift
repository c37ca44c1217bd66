// SPDX-License-Identifier: MIT

public import Foundation

/// The personalised push: how far the user is in a course.
public struct LabProgress: Sendable {
    /// The sessions that are done, and all of them; nil where the push does not say so.
    public let sessions: (done: Int, total: Int)?

    /// What comes next.
    public let nextName: String?

    /// Until when.
    public let nextDay: Date?

    /// Reads a push: `completed_session_count`, `total_session_count`, `next_session_name`, `next_session_complete_date`.
    ///
    /// - Parameter userInfo: the payload.
    public init(_ userInfo: [AnyHashable: Any]) {
        let pairs = Pairs(userInfo)
        if let total = pairs.integer("total_session_count", in: 0...10_000), total > 0,
            let done = pairs.integer("completed_session_count", in: 0...total)
        {
            sessions = (done, total)
        } else {
            sessions = nil
        }
        nextName = pairs.text("next_session_name")
        nextDay = pairs.day("next_session_complete_date")
    }

    /// From 0 to 1; nil hides the bar.
    public var fraction: Double? { sessions.map { Double($0.done) / Double($0.total) } }

    /// The title; without numbers one that fits everybody.
    public var title: String {
        guard let sessions else { return "Your sessions are waiting" }
        return sessions.done == sessions.total
            ? "All \(sessions.total) sessions done" : "\(sessions.done) of \(sessions.total) sessions done"
    }
}
