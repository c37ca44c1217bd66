// SPDX-License-Identifier: MIT

public import Foundation
import JSON
import SourceText

/// One request to Braze's `/users/track`, with the records that it carries.
///
/// The same records give the same bytes. Events stand in their order and attributes in theirs; Braze says nothing about
/// the order between the two.
public struct TrackRequest: Sendable, Hashable {
    /// How many objects Braze takes in one request.
    ///
    /// Braze's pages have named 75 objects in total, 75 of each kind, and 50 in total with some contracts.
    public enum Limit: Sendable, Hashable {
        /// So many objects altogether.
        case total(Int)
        /// So many events and so many attributes.
        case each(Int)
    }

    /// The records, from the oldest on.
    public let records: [PendingRecord]

    /// The JSON to send.
    public let body: String

    /// The ids of the records, to be acknowledged when Braze has answered.
    public var ids: [UUID] { records.map(\.id) }

    /// Puts records into requests.
    ///
    /// - Parameters:
    ///   - records: the records, from the oldest on.
    ///   - user: whom records are about that name nobody.
    ///   - limit: how many objects Braze takes in one request.
    /// - Returns: the requests, to be sent in this order.
    /// - Throws: that a record and `user` name nobody.
    public static func requests(
        for records: [PendingRecord],
        user: UserIdentifier? = nil,
        limit: Limit = .total(75)
    ) throws(TrackRequestError) -> [TrackRequest] {
        var requests: [TrackRequest] = []
        var start = 0
        var events = 0
        for (index, record) in records.enumerated() {
            let attributes = index - start - events
            let isFull =
                switch limit {
                case .total(let count): index - start >= max(1, count)
                case .each(let count): (record.content.isEvent ? events : attributes) >= max(1, count)
                }
            if isFull {
                requests.append(try TrackRequest(records[start..<index], user))
                (start, events) = (index, 0)
            }
            if record.content.isEvent { events += 1 }
        }
        if start < records.count { requests.append(try TrackRequest(records[start...], user)) }
        return requests
    }

    private init(_ records: ArraySlice<PendingRecord>, _ user: UserIdentifier?) throws(TrackRequestError) {
        var json = JSONWriter(into: ByteBuffer(capacity: 256 * records.count))
        json.beginObject()
        for (key, isEvent) in [("attributes", false), ("events", true)] {
            let objects = records.filter { $0.content.isEvent == isEvent }
            if objects.isEmpty { continue }
            json.key(key)
            json.beginArray()
            for record in objects {
                guard let user = record.user ?? user else { throw TrackRequestError(record: record.id) }
                record.writeTrackObject(about: user, into: &json)
            }
            json.endArray()
        }
        json.endObject()
        self.records = Array(records)
        body = json.buffer.string()
    }
}

/// A record names no user, and none was given for those.
public struct TrackRequestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The id of the record.
    public let record: UUID

    /// What is missing: lower case, no full stop.
    public var description: String { "the record \(record) names no user, and no other user is given" }
}

extension PendingRecord {
    fileprivate func writeTrackObject(about user: UserIdentifier, into json: inout JSONWriter) {
        json.beginObject()
        user.write(into: &json)
        switch content {
        case .event(let name, let properties):
            json.member("name", name)
            json.member("time", time.iso8601 ?? "")
            if !properties.isEmpty {
                json.key("properties")
                PropertyValue.object(properties).write(into: &json, .sent)
            }
        case .customAttributes(let changes):
            for (name, change) in changes.sorted(by: { $0.key < $1.key }) {
                json.key(name)
                change.write(into: &json, .sent)
            }
        case .userAttribute(let attribute):
            json.key(attribute.field.rawValue)
            if let value = attribute.value { value.write(into: &json, .sent) } else { json.null() }
        }
        json.endObject()
    }
}

extension PendingRecord.Content {
    fileprivate var isEvent: Bool {
        if case .event = self { true } else { false }
    }
}
