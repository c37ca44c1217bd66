// SPDX-License-Identifier: MIT

import ExtensionAnalytics
import Foundation
import Testing

/// Records are distributed over request bodies for `/users/track`.
@Suite struct TrackRequestTests {
    private static let time = Date(timeIntervalSince1970: 1_795_165_200)

    private static func record(_ content: PendingRecord.Content, _ user: UserIdentifier? = nil) throws -> PendingRecord
    {
        try PendingRecord(content, user: user, time: time)
    }

    @Test func `events and attributes stand in their arrays, members in their order`() throws {
        let records = [
            try Self.record(.event(name: "Played", properties: ["b": 1, "a": .time(Self.time)])),
            try Self.record(
                .customAttributes(["z": .increment(by: 2), "y": .unset, "x": .add(["a"])]),
                .externalID("ana")
            ),
            try Self.record(.userAttribute(.dateOfBirth(year: 985, month: 1, day: 2))),
            try Self.record(.event(name: "Left"), .alias(name: "n", label: "l")),
            try Self.record(.userAttribute(.unset(.email))),
        ]
        let requests = TrackRequest.requests(for: records, user: .brazeID("5f1a")).requests
        #expect(requests.map(\.ids) == [records.map(\.id)])
        #expect(
            requests[0].body
                == #"{"attributes":[{"external_id":"ana","x":{"add":["a"]},"y":null,"z":{"inc":2}},"#
                + #"{"braze_id":"5f1a","dob":"0985-01-02"},{"braze_id":"5f1a","email":null}],"#
                + #""events":[{"braze_id":"5f1a","name":"Played","time":"2026-11-20T09:00:00.000Z","#
                + #""properties":{"a":"2026-11-20T09:00:00.000Z","b":1}},"#
                + #"{"user_alias":{"alias_name":"n","alias_label":"l"},"name":"Left","time":"2026-11-20T09:00:00.000Z"}]}"#
        )
        #expect(TrackRequest.requests(for: records, user: .brazeID("5f1a")).requests == requests)
    }

    @Test(
        arguments: [
            (.total(2), [2, 2, 1]), (.total(75), [5]), (.total(0), [1, 1, 1, 1, 1]), (.each(2), [3, 2]),
            (.each(3), [4, 1]), (.each(4), [5]),
        ] as [(TrackRequest.Limit, [Int])]
    ) func `holds to the limit and keeps the order`(_ limit: TrackRequest.Limit, _ counts: [Int]) throws {
        let contents: [PendingRecord.Content] = [
            .event(name: "1"), .customAttributes(["a": .set(2)]), .event(name: "3"), .event(name: "4"),
            .event(name: "5"),
        ]
        let records = try contents.map { try Self.record($0, .brazeID("b")) }
        let requests = TrackRequest.requests(for: records, limit: limit).requests
        #expect(requests.map(\.records.count) == counts)
        #expect(requests.flatMap(\.records) == records)
    }

    @Test func `a request keeps to the bytes that Braze takes`() throws {
        let text = PropertyValue.string(String(repeating: "x", count: 255))
        let properties = Dictionary(uniqueKeysWithValues: (0..<300).map { ("p\($0)", text) })
        let records = try (0..<75).map { try Self.record(.event(name: "\($0)", properties: properties), .brazeID("b")) }
        let requests = TrackRequest.requests(for: records).requests
        #expect(requests.count == 2 && requests.flatMap(\.records) == records)
        #expect(requests.allSatisfy { $0.body.utf8.count <= TrackRequest.byteLimit })
        let small = TrackRequest.requests(for: Array(records.prefix(3)), byteLimit: 1).requests
        #expect(small.map(\.records.count) == [1, 1, 1])
        let one = small[0].body.utf8.count
        let exact = TrackRequest.requests(for: Array(records.prefix(1)), byteLimit: one).requests
        #expect(exact == [small[0]])
    }

    @Test func `a record without a user is left out and returned`() throws {
        let records = [
            try Self.record(.event(name: "a"), .brazeID("b")), try Self.record(.event(name: "b")),
            try Self.record(.event(name: "c"), .externalID("c")),
        ]
        let (requests, withoutUser) = TrackRequest.requests(for: records)
        #expect(requests.flatMap(\.records) == [records[0], records[2]])
        #expect(requests == TrackRequest.requests(for: [records[0], records[2]]).requests)
        #expect(withoutUser == [records[1]])
        let all = TrackRequest.requests(for: records, user: .brazeID("d"))
        #expect(all.requests.flatMap(\.records) == records && all.withoutUser.isEmpty)
        #expect(TrackRequest.requests(for: []).requests.isEmpty)
    }
}
