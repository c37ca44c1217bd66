// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import POSIXFiles

/// Checks the open projects on a thread of its own: a check begins when no text has changed for ``pause`` seconds.
///
/// The findings are passed on only if nothing has changed during the check. A request that needs the findings of the
/// current texts waits for them, and makes the check begin at once.
final class Analysis: Sendable {
    /// The number of seconds without a change after which a check begins.
    static let pause: TimeInterval = 0.1

    private struct State: Sendable {
        var workspace = CheckedWorkspace()
        /// The number of changes of texts so far.
        var revision = 0
        /// The value of ``revision`` whose texts the findings are about.
        var checked = 0
        /// The time at which the next check begins; nil if nothing has changed.
        var due: Date?
        var hasEnded = false
    }

    private let state = Locked(State())
    private let condition = NSCondition()
    private let clientInterval: TimeInterval
    private let clientRuns: @Sendable () -> Bool
    private let publish: @Sendable (CheckedWorkspace) -> Void
    private let abandon: @Sendable () -> Void

    /// Prepares the thread, which ``start()`` starts.
    ///
    /// - Parameters:
    ///   - clientInterval: the number of seconds without a change after which `clientRuns` is called.
    ///   - clientRuns: returns whether the client's process still runs.
    ///   - abandon: ends the server, because the client's process has ended.
    ///   - publish: receives the workspace with the findings in its current texts, before any further change is
    ///     accepted.
    init(
        clientInterval: TimeInterval = 10,
        clientRuns: @escaping @Sendable () -> Bool,
        abandon: @escaping @Sendable () -> Void,
        publish: @escaping @Sendable (CheckedWorkspace) -> Void
    ) {
        self.clientInterval = clientInterval
        self.clientRuns = clientRuns
        self.abandon = abandon
        self.publish = publish
    }

    /// The workspace with its current texts, and the findings of the last check.
    var workspace: CheckedWorkspace { state.withLock { $0.workspace } }

    /// Starts the thread; returns false if the system cannot create one.
    func start() -> Bool { LargeStack.start { self.run() } }

    /// Changes the workspace, after which everything is checked again.
    func change(_ body: (inout CheckedWorkspace) -> Void) {
        state.withLock { state in
            body(&state.workspace)
            state.revision += 1
            state.due = Date(timeIntervalSinceNow: Self.pause)
        }
        wake()
    }

    /// Waits for the findings in the current texts, and returns the workspace with them.
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

    /// Ends the thread when it has finished its current check.
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

    /// Waits until a check has to begin; returns nil when the thread has to end.
    private func next() -> (revision: Int, workspace: CheckedWorkspace)? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            let (due, hasEnded) = state.withLock { ($0.due, $0.hasEnded) }
            if hasEnded { return nil }
            let now = Date()
            guard let due else {
                if !condition.wait(until: now.addingTimeInterval(clientInterval)), !clientRuns() { abandon() }
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
