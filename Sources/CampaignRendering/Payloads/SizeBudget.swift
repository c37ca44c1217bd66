// SPDX-License-Identifier: MIT

/// The size of a payload, and its limits.
public struct SizeBudget: Sendable, Hashable {
    /// The maximum number of bytes that APNs accepts.
    ///
    /// Source: Apple, "Generating a remote notification".
    public static let limit = 4_096

    /// The bytes of the smallest payload, `{"aps":{}}`.
    static let least = 10

    /// The bytes of ``limit`` that Braze leaves to the campaign.
    ///
    /// Source: Braze, "Reducing payload size".
    public static let brazeShare = 3_807

    /// The bytes of the minified payload.
    public let bytes: Int

    /// The bytes that count towards ``budget``: all except the placeholder for Braze's own data, which is the
    /// campaign's id.
    public let share: Int

    /// The number of bytes above which ``share`` causes a warning.
    public let budget: Int

    /// The bytes that belong to no field: braces, and the keys `aps`, `alert` and `ab`.
    public let structure: Int

    init(_ writer: borrowing PayloadWriter, budget: Int) {
        bytes = writer.buffer.count
        self.budget = budget
        share = bytes - writer.costs.placeholder
        structure = bytes - writer.costs.all
    }

    /// Creates the size of a payload from its parts, without rendering.
    init(bytes: Int, share: Int, budget: Int, structure: Int) {
        self.bytes = bytes
        self.share = share
        self.budget = budget
        self.structure = structure
    }

    /// Whether APNs refuses the payload.
    public var isOverLimit: Bool { bytes > Self.limit }

    /// Whether the campaign takes more bytes than ``budget``.
    public var isOverBudget: Bool { share > budget }
}
