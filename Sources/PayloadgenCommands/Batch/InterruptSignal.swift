// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// Ctrl-C in the middle of a batch: what is being written is finished first.
enum InterruptSignal {
    /// A signal handler can do little more than set a flag.
    private static let flag = Atomic<Bool>(false)

    /// Whether the user asked the batch to end.
    static var wasSent: Bool { flag.load(ordering: .relaxed) }

    /// Lets Ctrl-C end the batch between two records.
    static func listen() {
        flag.store(false, ordering: .relaxed)
        var action = sigaction()
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = { _ in InterruptSignal.flag.store(true, ordering: .relaxed) }
        #else
            action.__sigaction_handler.sa_handler = { _ in InterruptSignal.flag.store(true, ordering: .relaxed) }
        #endif
        // Without SA_RESTART, so that waiting for input ends too.
        sigaction(SIGINT, &action, nil)
    }
}
