// SPDX-License-Identifier: MIT

import BinaryPlists
package import Foundation
import SourceText

/// What Braze's guides for notification extensions left in the `UserDefaults` of an app group.
///
/// The guides keep three arrays, `pending_custom_events`, `pending_custom_attributes` and `pending_user_attributes`, and
/// read each as a whole. Here each element is read by itself: one that cannot be read is reported and stays in place, and
/// the others become records. The elements have neither time nor user, so that both are given.
///
/// Elements are read as Swift and as Objective-C wrote them: user attributes are binary property lists in the one and
/// keyed archives in the other, and events of the older Objective-C code are under the key of the attributes, where their
/// `event_name` distinguishes them. No class is made from an archive.
///
/// An element gets a number when it is first seen, and the id of its record is computed from it: equal elements have
/// different ids, and no later element gets the id of one that was removed.
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

    /// Members that were left out of records because their names are reserved, such as a property `time`.
    ///
    /// The rest of the element is a record. Its removal removes the whole element.
    public private(set) var omissions: [Fault] = []

    /// Makes records of elements.
    ///
    /// - Parameters:
    ///   - elements: the elements.
    ///   - numbering: their numbers.
    ///   - user: whom the records are about; nil for whoever is named when they are sent.
    ///   - time: when they happened; nil for the time at which each was seen first.
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
            // If nothing is left, the reserved name is the fault to report.
            if case .customAttributes(let changes) = content, changes.isEmpty { content = whole }
            return (try PendingRecord(content, user: user, time: time, id: id), omitted)
        } catch {
            throw ElementError(error.description)
        }
    }
}
