// SPDX-License-Identifier: MIT

public import Foundation

/// The personalised push: how far the user is in a course.
public struct LabProgress: Sendable {
    /// The number of completed sessions.
    public let done: Int

    /// The number of all sessions; at least ``done``.
    public let total: Int

    /// The name of the next session.
    public let nextName: String

    /// The day until which it is to be completed.
    public let nextDay: Date?

    /// What the push says of the sessions as JSON: `{"done": 5, "name": "Ana"}`.
    public struct Sessions: Decodable, Sendable {
        /// The number of completed sessions.
        public let done: Int

        /// The name of the user.
        public let name: String
    }

    /// The sessions; nil where the push does not have them in this form.
    public let sessions: Sessions?

    /// Reads a push.
    ///
    /// - Parameter userInfo: the payload.
    /// - Throws: the pair that is missing or has the wrong type.
    public init(_ userInfo: [AnyHashable: Any]) throws {
        let extras = try LabProgressExtras(userInfo: userInfo)
        total = max(extras.totalSessionCount, 1)
        done = min(max(extras.completedSessionCount, 0), total)
        nextName = extras.nextSessionName
        nextDay = extras.nextSessionCompleteDate
        sessions = extras.sessions.flatMap { try? JSONDecoder().decode(Sessions.self, from: $0) }
    }

    /// From 0 to 1.
    public var fraction: Double { Double(done) / Double(total) }

    /// The title.
    public var title: String {
        done == total ? "All \(total) sessions done" : "\(done) of \(total) sessions done"
    }
}
