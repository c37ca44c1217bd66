// SPDX-License-Identifier: MIT

public import BrazeLiquid
import JSON
import Liquid
public import SourceText

/// A user: what Braze exports of one, or the short form.
///
/// The export is the JSON object of `/users/export/ids` and of segment exports, alone or as `{"users": [one]}`; an
/// object with the key `user` is the short form, whose keys are the namespaces of Liquid.
public struct Profile: Sendable {
    /// `external_id`, else `braze_id`; in the short form `user.user_id`, else `user.braze_id`.
    public let id: String?

    /// `external_id`, or `user.user_id`: by what Braze addresses the user; nil where there is none.
    public let externalID: String?

    /// What templates may read of the user.
    public let context: RenderContext

    /// The number of devices in the export.
    ///
    /// Only one alone is known to be the most recently used.
    package let deviceCount: Int

    /// The user of whom nothing is known.
    public static let unknown = Profile(context: .empty)

    init(id: String?, externalID: String?, context: RenderContext, deviceCount: Int) {
        self.id = id
        self.externalID = externalID
        self.context = context
        self.deviceCount = deviceCount
    }

    /// The profile behind a context.
    ///
    /// - Parameters:
    ///   - context: what is known of the user.
    ///   - idField: the attribute that gives the id; nil for the usual ones.
    ///   - number: the text of an attribute that is a number, as it is written; nil where nobody knows.
    init(context: RenderContext, idField: String? = nil, number: (String) -> String? = { _ in nil }) {
        let user = context.members(of: BrazeEnvironment.attributesMember)
        func id(_ name: String) -> String? {
            switch user[name] {
            case .float?, .bigInteger?: number(name) ?? Self.text(user[name])
            default: Self.text(user[name])
            }
        }
        let externalID = id("user_id")
        let id = idField.map { id($0) } ?? externalID ?? id("braze_id")
        self.init(id: id, externalID: externalID, context: context, deviceCount: 0)
    }

    /// An id: a text that is not empty, or a number.
    static func text(_ value: Value?) -> String? {
        switch value {
        case .string(let text)? where !text.isEmpty: text
        case .integer(let number)?: String(number)
        case .bigInteger(let number)?: number.text
        case .float(let number)?: number.description
        default: nil
        }
    }

    /// Reads a profile from JSON.
    ///
    /// - Parameter json: one object; UTF-8, with or without a byte order mark.
    /// - Throws: why the text is no profile.
    public init(json: UnsafeBufferPointer<UInt8>) throws(ProfileError) {
        var reader = ProfileReader()
        self = try reader.read(json)
    }

    /// Reads a profile from a file.
    ///
    /// - Throws: why the file is no profile, with its place.
    public init(file: SourceFile) throws(InputError) {
        do {
            self = try file.bytes.withUnsafeBufferPointer { bytes throws(ProfileError) in try Profile(json: bytes) }
        } catch {
            throw InputError(.invalid, [error.diagnostic(in: file)])
        }
    }

    /// Reads the profile at a path.
    ///
    /// - Throws: why the file is no profile, with its place.
    public init(contentsOf path: String) throws(InputError) {
        guard let file = DiskFolder.file(at: path) else { throw .missing(path, .profileSyntax) }
        try self.init(file: file)
    }
}

/// Why a text is no profile, context or set of properties.
public struct ProfileError: Error, Sendable, Hashable {
    /// What was found and what was expected: lower case, no full stop.
    public var message: String

    /// Where, in bytes from the start of the text.
    public var range: SourceRange

    init(_ message: String, at range: SourceRange) {
        self.message = message
        self.range = range
    }

    init(_ error: JSONError) {
        message = error.message
        range = error.range
    }

    /// The error as a finding in a file.
    public func diagnostic(in file: SourceFile) -> Diagnostic {
        Diagnostic(.profileSyntax, message, at: SourcePlace(file, range))
    }
}
