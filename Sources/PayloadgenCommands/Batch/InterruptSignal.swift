// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// Ctrl-C in the middle of a batch: the first ends it after a whole line, the second at once.
enum InterruptSignal {
    /// A signal handler can do little more than set a flag.
    private static let flag = Atomic<Bool>(false)

    /// The end of a pipe that wakes who waits for input or output: any thread may get the signal, also one that does not
    /// wait.
    private static let wakingEnd = Atomic<Int32>(-1)
    private static let waitingEnd = Atomic<Int32>(-1)

    /// Whether the user asked the batch to end.
    static var wasSent: Bool { flag.load(ordering: .relaxed) }

    /// Lets Ctrl-C end the batch between two records; where it cannot get there, a second Ctrl-C ends the process.
    static func listen() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            waitingEnd.store(ends[0], ordering: .relaxed)
            wakingEnd.store(ends[1], ordering: .relaxed)
        }
        signal(SIGINT) { _ in
            if InterruptSignal.flag.exchange(true, ordering: .relaxed) { _exit(ExitStatus.interrupted.rawValue) }
            var byte: UInt8 = 0
            _ = write(InterruptSignal.wakingEnd.load(ordering: .relaxed), &byte, 1)
        }
        // Who starts a process from a thread that blocks signals hands that down.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Waits until a file can be read, or the user asks the batch to end.
    static func wait(for descriptor: Int32) { wait(for: descriptor, POLLIN) }

    /// Waits until a file can be written, or the user asks the batch to end.
    static func wait(toWrite descriptor: Int32) { wait(for: descriptor, POLLOUT) }

    /// Waits until a file can be written, whatever the user asks.
    static func waitOn(toWrite descriptor: Int32) {
        var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while poll(&file, 1, -1) < 0, errno == EINTR {}
    }

    private static func wait(for descriptor: Int32, _ event: Int32) {
        let waking = waitingEnd.load(ordering: .relaxed)
        // Nobody listens to a negative descriptor.
        var files = [
            pollfd(fd: descriptor, events: Int16(event), revents: 0),
            pollfd(fd: waking, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&files, 2, -1)
    }
}
