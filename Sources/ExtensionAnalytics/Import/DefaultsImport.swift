// SPDX-License-Identifier: MIT

package import BinaryPlists
import DiagnosticSources
package import Foundation

/// Imports what the code of Braze's guides for notification extensions left in the `UserDefaults` of an app group.
///
/// The guides keep three arrays, `pending_custom_events`, `pending_custom_attributes` and `pending_user_attributes`,
/// and read each as a whole. Here, each element is read separately: an element that cannot be read is reported and left
/// in place, and the rest become records. The elements have neither a time nor a user; the caller may give both.
///
/// The guides' Swift code writes user attributes as binary property lists, their Objective-C code as keyed archives;
/// both are read. The older Objective-C code saves events under the key of the custom attributes, where they are
/// recognised by their `event_name`. An archive is read as data: no object of any class is created from it.
///
/// An element gets a number when it is first seen, and the id of its record is computed from this number. So equal
/// elements have different ids, and a later element never gets the id of a removed one.
public struct DefaultsImport: Sendable {
    /// A key in `UserDefaults` under which the guides' code keeps an array.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        case events = "pending_custom_events"
        case customAttributes = "pending_custom_attributes"
        case userAttributes = "pending_user_attributes"

        /// Whether one of the arrays has an element of the type that belongs under this key: data for user attributes,
        /// otherwise a dictionary.
        package func mayHold(elementsOf arrays: [PlistValue]) -> Bool {
            arrays.contains { array in
                guard case .array(let elements) = array else { return false }
                return elements.contains { element in
                    switch (self, element) {
                    case (.userAttributes, .data), (.events, .dictionary), (.customAttributes, .dictionary): true
                    default: false
                    }
                }
            }
        }
    }

    /// An element or key that cannot become a record, or a member that is left out of one, with the reason.
    public struct Fault: Sendable, Hashable {
        /// The key of the array.
        public let key: Key

        /// The position of the element from 0; nil if the key as a whole cannot be read.
        public let index: Int?

        /// The reason: lower case, no full stop.
        public let reason: String
    }

    /// The records: events, then custom attributes, then user attributes, each beginning with the oldest.
    public private(set) var records: [PendingRecord] = []

    /// The elements and keys that cannot become records, with the reasons.
    public private(set) var faults: [Fault] = []

    /// Members that were left out of records because their names are reserved, such as a property `time`.
    ///
    /// The rest of the element is a record. Removing this record removes the whole element.
    public private(set) var omissions: [Fault] = []

    /// Creates records from elements.
    ///
    /// - Parameters:
    ///   - elements: the elements.
    ///   - numbering: the numbering of the elements.
    ///   - user: the user whom the records are about; nil for the user given when they are sent.
    ///   - time: the time of the records; nil for the time at which each element was first seen.
    package init(
        _ elements: DefaultsElements,
        _ numbering: DefaultsNumbering,
        user: UserIdentifier? = nil,
        time: Date? = nil
    ) {
        for key in Key.allCases {
            faults += elements.faults.lazy.filter { $0.key == key }
            let numbered = zip(elements.arrays[key] ?? [], numbering.elements(of: key))
            for (index, (element, numbered)) in numbered.enumerated() {
                do throws(ElementError) {
                    let (record, omitted) = try Self.record(key, element, user, time ?? numbered.time, numbered.id)
                    records.append(record)
                    omissions += omitted.map { Fault(key: key, index: index, reason: "\($0), which is left out") }
                } catch {
                    faults.append(Fault(key: key, index: index, reason: error.reason))
                }
            }
        }
    }

    private static func record(
        _ key: Key,
        _ element: PlistValue,
        _ user: UserIdentifier?,
        _ time: Date,
        _ id: UUID
    ) throws(ElementError) -> (record: PendingRecord, omitted: [PendingRecordError]) {
        let whole = try PendingRecord.Content(key, element)
        var content = whole
        let omitted = content.removeReservedNames()
        do throws(PendingRecordError) {
            // If no member is left, the original is kept, so that the reserved name is reported as the fault.
            if case .customAttributes(let changes) = content, changes.isEmpty { content = whole }
            return (try PendingRecord(content, user: user, time: time, id: id), omitted)
        } catch {
            throw ElementError(error.description)
        }
    }
}
