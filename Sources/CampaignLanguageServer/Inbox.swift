// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import JSONTexts
import POSIXFiles

/// The client's messages that wait to be handled, in their order.
///
/// They are read on a separate thread, so that a request that is cancelled while it waits is not executed.
final class Inbox: Sendable {
    /// What waits in the inbox: a message, a fault in the input, or the end of the input.
    enum Item: Sendable {
        case message(JSONNode)
        /// Bytes that are not a message, or a message that is not JSON; with the reason.
        case fault(String, isJSON: Bool)
        case end
    }

    /// The maximum number of messages that wait; while there are that many, no more are read.
    private static let limit = 1_000

    private struct State: Sendable {
        var items: [Item] = []
        /// The ids of the requests that wait, as the client wrote them in JSON.
        var waiting: Set<String> = []
        var cancelled: Set<String> = []
    }

    private let state = Locked(State())
    private let condition = NSCondition()

    /// Reads messages until the input ends, and puts them into the inbox.
    func fill(_ reader: consuming MessageReader) {
        while let input = reader.next() {
            switch input {
            case .fault(let reason): put(.fault(reason, isJSON: false))
            case .message(let bytes):
                do throws(JSONError) {
                    put(.message(try JSONDocument(SourceFile(path: "<message>", bytes: bytes)).root))
                } catch {
                    put(.fault(error.message, isJSON: true))
                }
            }
        }
        put(.end)
    }

    private func put(_ item: Item) {
        condition.lock()
        defer { condition.unlock() }
        while state.withLock({ $0.items.count >= Self.limit }) { condition.wait() }
        state.withLock { state in
            if case .message(let message) = item {
                if message["method"]?.string == "$/cancelRequest", let id = message["params"]?["id"]?.source {
                    if state.waiting.contains(id) { state.cancelled.insert(id) }
                    return
                }
                if message["method"] != nil, let id = message["id"]?.source { state.waiting.insert(id) }
            }
            state.items.append(item)
        }
        condition.broadcast()
    }

    /// Ends the session at once, without handling the messages that wait.
    func abandon() {
        condition.lock()
        state.withLock { $0.items.insert(.end, at: 0) }
        condition.broadcast()
        condition.unlock()
    }

    /// Waits for the next message.
    ///
    /// - Returns: the message, and whether it is a request that was cancelled.
    func next() -> (item: Item, isCancelled: Bool) {
        condition.lock()
        defer { condition.unlock() }
        while true {
            let next = state.withLock { state -> (Item, Bool)? in
                guard !state.items.isEmpty else { return nil }
                let item = state.items.removeFirst()
                guard case .message(let message) = item, let id = message["id"]?.source else { return (item, false) }
                state.waiting.remove(id)
                return (item, state.cancelled.remove(id) != nil)
            }
            condition.broadcast()
            if let next { return next }
            condition.wait()
        }
    }
}
