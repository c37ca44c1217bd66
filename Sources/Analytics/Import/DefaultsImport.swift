// SPDX-License-Identifier: MIT

public import Foundation
import SourceText

/// What Braze's guides for notification extensions left in the `UserDefaults` of an app group.
///
/// The guides keep three arrays, `pending_custom_events`, `pending_custom_attributes` and `pending_user_attributes`, and
/// read each as a whole. Here every element stands for itself: one that cannot be read is told and stays where it is,
/// and the others become records. The elements have neither time nor user, so that both are given.
///
/// Elements are read as Swift and as Objective-C wrote them: user attributes are property lists in the one and keyed
/// archives in the other, and events of the older Objective-C code lie under the key of the attributes, where their
/// `event_name` tells them from such. No class is made from an archive.
///
/// The id of a record comes from its element, so that a second reading gives the same ids.
public struct DefaultsImport: Sendable {
    /// A key of the guides.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        case events = "pending_custom_events"
        case customAttributes = "pending_custom_attributes"
        case userAttributes = "pending_user_attributes"
    }

    /// An element that gives no record.
    public struct Fault: Sendable, Hashable {
        /// The key of the array.
        public let key: Key

        /// The position of the element from 0; nil where the key holds no array.
        public let index: Int?

        /// Why it gives no record: lower case, no full stop.
        public let reason: String
    }

    /// The records: events, then custom attributes, then user attributes, each from the oldest on.
    public private(set) var records: [PendingRecord] = []

    /// The elements that give no record.
    public private(set) var faults: [Fault] = []

    /// Where the records come from.
    private(set) var places: [UUID: (key: Key, index: Int)] = [:]

    /// Reads preferences.
    ///
    /// - Parameters:
    ///   - preferences: a property list of any format, such as the file `Library/Preferences/GROUP.plist` of the group.
    ///   - user: whom the records are about; nil for whoever is named when they are sent.
    ///   - time: when they happened, as far as it is known.
    /// - Throws: that it is no property list of keys and values.
    public init(_ preferences: Data, user: UserIdentifier? = nil, time: Date) throws(DefaultsImportError) {
        guard let root = BinaryPlist(preferences: preferences), case .dictionary = root else {
            throw DefaultsImportError(reason: "found no property list with keys and values")
        }
        self.init(root, user, time)
    }

    /// Reads the members of preferences that have the guides' keys.
    init(_ root: BinaryPlist, _ user: UserIdentifier?, _ time: Date) {
        var occurrences: [UUID: Int] = [:]
        for key in Key.allCases {
            guard let value = root[key.rawValue] else { continue }
            guard case .array(let elements) = value else {
                faults.append(Fault(key: key, index: nil, reason: "expected an array"))
                continue
            }
            for (index, element) in elements.enumerated() {
                let content = ElementHash(key, element).id
                let occurrence = occurrences[content, default: 0]
                occurrences[content] = occurrence + 1
                let id = ElementHash(key, element, occurrence: occurrence).id
                do throws(ElementError) {
                    records.append(try Self.record(key, element, user, time, id))
                    places[id] = (key, index)
                } catch {
                    faults.append(Fault(key: key, index: index, reason: error.reason))
                }
            }
        }
    }

    private static func record(
        _ key: Key,
        _ element: BinaryPlist,
        _ user: UserIdentifier?,
        _ time: Date,
        _ id: UUID
    ) throws(ElementError) -> PendingRecord {
        let content = try PendingRecord.Content(key, element)
        do throws(PendingRecordError) {
            return try PendingRecord(content, user: user, time: time, id: id)
        } catch {
            throw ElementError(error.description)
        }
    }
}

/// Preferences cannot be read.
public struct DefaultsImportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why: lower case, no full stop.
    public let reason: String

    /// Why: lower case, no full stop.
    public var description: String { reason }
}

/// Why an element gives no record: lower case, no full stop.
struct ElementError: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension BinaryPlist {
    /// Reads a property list of any format.
    init?(preferences: Data) {
        if preferences.isBinaryPlist {
            self.init([UInt8](preferences))
        } else {
            guard let coded = try? PropertyListDecoder().decode(CodedPlist.self, from: preferences) else { return nil }
            self = coded.value
        }
    }
}

extension Data {
    /// Whether the first bytes are those of a binary property list.
    var isBinaryPlist: Bool { starts(with: Array("bplist00".utf8)) }
}
