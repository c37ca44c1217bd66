// SPDX-License-Identifier: MIT

import ExtensionAnalytics
import Foundation

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
defer { try? FileManager.default.removeItem(at: folder) }

let store = try PendingStore(folder: folder)
let time = Date(timeIntervalSince1970: 1_795_165_200)
try store.save(
    PendingRecord(.event(name: "Played", properties: ["score": 7, "tags": ["a"]]), user: .brazeID("5f1a"), time: time)
)

var batches = store.batches(of: 75)
while let batch = try batches.next() {
    for record in batch.records {
        print(record.user ?? .externalID("-"), record.time.timeIntervalSince1970)
        if case .event(let name, let properties) = record.content {
            print(name, properties.keys.sorted(), properties["score"] ?? 0)
        }
    }
    for request in TrackRequest.requests(for: batch.records).requests { print(request.ids.count, request.body) }
    try store.acknowledge(batch)
    print(batch.unreadable.count, "unreadable")
}
print(try batches.next() == nil ? "all sent" : "more")

// What a record refuses, and what a push is.
do throws(PendingRecordError) {
    _ = try PendingRecord(.event(name: "", properties: [:]))
} catch {
    print(error.path, error)
}
let push = PushKind(["ab": ["c": "x"], "aps": ["content-available": 1]] as [AnyHashable: Any])
print(push.contains(.braze), push.contains(.story))
print(NotificationAction.answer(to: NotificationAction.dismissIdentifier, in: [:]).dismissal)
