// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// Handles Ctrl-C and the system's signals during a batch: the first one ends it after a complete line, a second one at
/// once.
enum InterruptSignal {
    /// The state that the signal handler uses; a handler may do little more than set numbers.
    @available(iOS 18, macOS 15, *)
    private enum Handler {
        /// The signal that was sent; 0 before that.
        static let sent = Atomic<Int32>(0)

        /// The write end of a pipe that wakes threads waiting for input or output, as any thread may receive the
        /// signal.
        static let wakingEnd = Atomic<Int32>(-1)
        static let waitingEnd = Atomic<Int32>(-1)
    }

    /// The signal that was sent; 0 before that.
    private static var sent: Int32 {
        if #available(iOS 18, macOS 15, *) { Handler.sent.load(ordering: .relaxed) } else { 0 }
    }

    /// Whether a signal asked the batch to end.
    static var wasSent: Bool { sent != 0 }

    /// Makes Ctrl-C, `SIGTERM` and `SIGHUP` end the batch between two records.
    ///
    /// A second signal ends the process at once. `SIGTERM` and `SIGHUP` stay ignored if they were ignored when the
    /// process began, as with `nohup`. Before macOS 15, the first signal ends the process at once.
    static func listen() {
        guard #available(iOS 18, macOS 15, *) else { return }
        var ends: [Int32] = [-1, -1]
        if Handler.waitingEnd.load(ordering: .relaxed) < 0, pipe(&ends) == 0 {
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            Handler.waitingEnd.store(ends[0], ordering: .relaxed)
            Handler.wakingEnd.store(ends[1], ordering: .relaxed)
        }
        // The thread that started the process may have blocked the signals, and the process inherits this.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) {
            signal(number) { number in
                if Handler.sent.exchange(number, ordering: .relaxed) != 0 { _exit(128 + number) }
                var byte: UInt8 = 0
                _ = write(Handler.wakingEnd.load(ordering: .relaxed), &byte, 1)
            }
            sigaddset(&signals, number)
        }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard number != SIGINT, sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        // Swift cannot compare C functions, so their addresses are compared.
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends the process with the signal that ended the batch, so that the parent process can see it.
    ///
    /// Does nothing after Ctrl-C, for which the exit code is ``ExitStatus/interrupted``.
    static func endProcess() {
        let number = sent
        guard number == SIGTERM || number == SIGHUP else { return }
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Waits until a file can be read, or a signal asks the batch to end.
    static func wait(for descriptor: Int32) { wait(for: descriptor, POLLIN) }

    /// Waits until a file can be written, or a signal asks the batch to end.
    static func wait(toWrite descriptor: Int32) { wait(for: descriptor, POLLOUT) }

    /// Waits until a file can be written, even after a signal; returns false after `milliseconds`, unless they are
    /// negative.
    @discardableResult
    static func waitOn(toWrite descriptor: Int32, milliseconds: Int32 = -1) -> Bool {
        var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&file, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count != 0 }
        }
    }

    /// Waits for a time, or until a signal asks the batch to end.
    static func wait(milliseconds: Int32) { wait(for: -1, 0, milliseconds: milliseconds) }

    private static func wait(for descriptor: Int32, _ event: Int32, milliseconds: Int32 = -1) {
        let waking: Int32 =
            if #available(iOS 18, macOS 15, *) { Handler.waitingEnd.load(ordering: .relaxed) } else { -1 }
        // `poll(2)` ignores a negative descriptor.
        var files = [
            pollfd(fd: descriptor, events: Int16(event), revents: 0),
            pollfd(fd: waking, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&files, 2, milliseconds)
    }
}
