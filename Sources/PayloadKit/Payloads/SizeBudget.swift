// SPDX-License-Identifier: MIT

/// How large a payload is, and how large it may be.
public struct SizeBudget: Sendable, Hashable {
    /// The most that APNs takes, in bytes.
    ///
    /// Source: Apple, "Generating a remote notification".
    public static let limit = 4_096

    /// What Braze leaves to the campaign of ``limit``, in bytes.
    ///
    /// Source: Braze, "Reducing payload size".
    public static let brazeShare = 3_807

    /// The bytes of the minified payload.
    public let bytes: Int

    /// The bytes that count against ``budget``: all but the campaign id, which stands in for Braze's own data.
    public let share: Int

    /// What ``share`` may be before it is warned about.
    public let budget: Int

    /// The bytes that belong to no field: braces, and the keys `aps`, `alert` and `ab`.
    public let structure: Int

    init(_ writer: borrowing PayloadWriter, budget: Int) {
        bytes = writer.buffer.count
        self.budget = budget
        share = bytes - writer.costs.standIn
        structure = bytes - writer.costs.all
    }

    /// Whether APNs refuses the payload.
    public var isOverLimit: Bool { bytes > Self.limit }

    /// Whether the campaign takes more than its share.
    public var isOverBudget: Bool { share > budget }
}
