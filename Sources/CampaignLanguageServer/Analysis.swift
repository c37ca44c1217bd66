// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import POSIXFiles

/// Checks the workspace on a thread of its own: one check at a time, which begins when nothing has changed for a while.
///
/// What was found is handed on only if nothing has changed meanwhile. A request that needs what is found in the current
/// texts waits for it, and makes the check begin at once.
final class Analysis: Sendable {
    /// How long nothing has to change before a check.
    static let pause: TimeInterval = 0.1

    /// How often it is looked whether the client still runs.
    private static let clientInterval: TimeInterval = 10

    private struct State: Sendable {
        var workspace = CheckedWorkspace()
        /// Counts the changes.
        var revision = 0
        /// The change up to which everything is checked.
        var checked = 0
        /// When the next check begins; nil where nothing has changed.
        var due: Date?
        var hasEnded = false
    }

    private let state = Locked(State())
    private let condition = NSCondition()
    private let clientRuns: @Sendable () -> Bool
    private let publish: @Sendable (CheckedWorkspace) -> Void
    private let abandon: @Sendable () -> Void

    /// Prepares the thread.
    ///
    /// - Parameters:
    ///   - clientRuns: whether the client still runs.
    ///   - abandon: ends the server, as its client does not run any more.
    ///   - publish: gets what was found in the current texts, before another change is accepted.
    init(
        clientRuns: @escaping @Sendable () -> Bool,
        abandon: @escaping @Sendable () -> Void,
        publish: @escaping @Sendable (CheckedWorkspace) -> Void
    ) {
        self.clientRuns = clientRuns
        self.abandon = abandon
        self.publish = publish
    }

    /// The workspace: the texts as they are now, and what was found last.
    var workspace: CheckedWorkspace { state.withLock { $0.workspace } }

    /// Starts the thread.
    func start() -> Bool { LargeStack.start { self.run() } }

    /// Makes a change, after which everything is checked again.
    func change(_ body: (inout CheckedWorkspace) -> Void) {
        state.withLock { state in
            body(&state.workspace)
            state.revision += 1
            state.due = Date(timeIntervalSinceNow: Self.pause)
        }
        wake()
    }

    /// The workspace with what is found in the current texts.
    func checked() -> CheckedWorkspace {
        let wanted = state.withLock { state in
            if state.checked < state.revision { state.due = Date(timeIntervalSince1970: 0) }
            return state.revision
        }
        wake()
        condition.lock()
        defer { condition.unlock() }
        while state.withLock({ $0.checked < wanted && !$0.hasEnded }) { condition.wait() }
        return workspace
    }

    /// Ends the thread after its check.
    func end() {
        state.withLock { $0.hasEnded = true }
        wake()
    }

    private func wake() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    private func run() {
        while let (revision, workspace) = next() {
            var checked = workspace
            checked.check()
            let isAbandoned = state.withLock { state in
                if state.revision == revision {
                    state.workspace = checked
                    publish(checked)
                } else {
                    state.workspace.take(checked)
                }
                state.checked = max(state.checked, revision)
                return state.hasEnded
            }
            wake()
            if isAbandoned { return }
        }
    }

    /// Waits for the time of a check; nil at the end.
    private func next() -> (revision: Int, workspace: CheckedWorkspace)? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            let (due, hasEnded) = state.withLock { ($0.due, $0.hasEnded) }
            if hasEnded { return nil }
            let now = Date()
            guard let due else {
                if !condition.wait(until: now.addingTimeInterval(Self.clientInterval)), !clientRuns() { abandon() }
                continue
            }
            guard due <= now else {
                _ = condition.wait(until: due)
                continue
            }
            return state.withLock { state in
                state.due = nil
                return (state.revision, state.workspace)
            }
        }
    }
}
