// SPDX-License-Identifier: MIT

import DiagnosticSources
public import Foundation
import JSONTexts

/// A request to Braze's `/users/track`, and the records that it sends.
///
/// The same records always give the same bytes. Events keep their order, and so do attributes; Braze does not document
/// the order in which it processes events and attributes.
public struct TrackRequest: Sendable, Hashable {
    /// How many objects Braze accepts in one request.
    ///
    /// Braze's pages have stated 75 objects in total, 75 of each kind, and, for some contracts, 50 in total.
    public enum Limit: Sendable, Hashable {
        /// This many objects in total.
        case total(Int)
        /// This many events, and this many attribute objects.
        case each(Int)
    }

    /// The records, beginning with the oldest.
    public let records: [PendingRecord]

    /// The JSON body of the request.
    public let body: String

    /// The ids of the records, to acknowledge when Braze has accepted the request.
    public var ids: [UUID] { records.map(\.id) }

    /// The maximum number of bytes of a request that Braze accepts: 4 MB (Braze, "User data endpoints"); the answer to
    /// a larger one is 413.
    public static let byteLimit = 4_000_000

    /// Distributes records over requests.
    ///
    /// - Parameters:
    ///   - records: the records, beginning with the oldest.
    ///   - user: the user for records that name no user.
    ///   - limit: how many objects Braze accepts in one request.
    ///   - byteLimit: the maximum number of bytes of a body. A record that is larger gets a request of its own; with
    ///     Braze's limit, no record is that large.
    /// - Returns: the requests, to be sent in this order, and the records that are in no request because they name no
    ///   user and `user` is nil.
    public static func requests(
        for records: [PendingRecord],
        user: UserIdentifier? = nil,
        limit: Limit = .total(75),
        byteLimit: Int = Self.byteLimit
    ) -> (requests: [TrackRequest], withoutUser: [PendingRecord]) {
        let withoutUser = user == nil ? records.filter { $0.user == nil } : []
        let records = withoutUser.isEmpty ? records : records.filter { $0.user != nil }
        var requests: [TrackRequest] = []
        var start = 0
        var events = 0
        var bytes = Self.emptyBody
        var objects: [ByteRange] = []
        var json = JSONWriter(into: ByteBuffer(capacity: 256 * min(records.count, 100)))
        for (index, record) in records.enumerated() {
            let begin = json.buffer.count
            guard let user = record.user ?? user else { continue }
            record.writeTrackObject(about: user, into: &json)
            json.endValue()
            let object = begin..<json.buffer.count
            let attributes = index - start - events
            let isFull =
                switch limit {
                case .total(let count): index - start >= max(1, count)
                case .each(let count): (record.content.isEvent ? events : attributes) >= max(1, count)
                }
            if index > start, isFull || bytes + object.count + 1 > byteLimit {
                requests.append(TrackRequest(records[start..<index], objects, of: json.buffer))
                (start, events, bytes, objects) = (index, 0, Self.emptyBody, [])
            }
            objects.append(object)
            bytes += object.count + 1
            if record.content.isEvent { events += 1 }
        }
        if start < records.count { requests.append(TrackRequest(records[start...], objects, of: json.buffer)) }
        return (requests, withoutUser)
    }

    private typealias ByteRange = Range<Int>

    /// The number of bytes of a body without any objects.
    private static let emptyBody = #"{"attributes":[],"events":[]}"#.utf8.count

    /// Joins objects that are already written as JSON into the body of a request.
    private init(_ records: ArraySlice<PendingRecord>, _ objects: [ByteRange], of written: borrowing ByteBuffer) {
        var body = JSONWriter(into: ByteBuffer(capacity: objects.reduce(Self.emptyBody) { $0 + $1.count + 1 }))
        body.beginObject()
        written.withUnsafeBytes { bytes in
            for (key, isEvent) in [("attributes", false), ("events", true)] {
                let ofKind = zip(records, objects).filter { $0.0.content.isEvent == isEvent }
                if ofKind.isEmpty { continue }
                body.key(key)
                body.beginArray()
                for (_, object) in ofKind { body.raw(UnsafeBufferPointer(rebasing: bytes[object])) }
                body.endArray()
            }
        }
        body.endObject()
        self.records = Array(records)
        self.body = body.buffer.string()
    }
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
