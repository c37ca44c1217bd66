// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles
import Testing

/// Threads have stacks that are large enough for deeply nested input.
@Suite struct LargeStackTests {
    /// Uses 4 KiB of the stack or more at each level, and returns the number of levels.
    @inline(never) private static func descend(_ levels: Int) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 1)
            return levels == 0 ? 0 : descend(levels - 1) + Int(bytes[levels % 4096])
        }
    }

    /// The number of levels for which more than 8 MiB are needed, the default size of a stack on Linux.
    private static let levels = 6_000

    @Test func `a function runs on a large stack`() {
        #expect(LargeStack.run { Self.descend(Self.levels) } == Self.levels)
    }

    @Test func `a thread has a large stack`() {
        let done = DispatchSemaphore(value: 0)
        let found = Locked(0)
        let isStarted = LargeStack.start {
            let levels = Self.descend(Self.levels)
            found.withLock { $0 = levels }
            done.signal()
        }
        #expect(isStarted)
        done.wait()
        #expect(found.withLock { $0 } == Self.levels)
    }

    @Test(arguments: [0, 1, 2, 1_000]) func `each index is used once`(count: Int) {
        let counts = Locked([Int](repeating: 0, count: count))
        LargeStack.concurrently(count) { index in counts.withLock { $0[index] += 1 } }
        #expect(counts.withLock { $0 } == [Int](repeating: 1, count: count))
    }

    @Test func `the threads that run a function at one time have large stacks`() {
        // The function runs on a large stack, because the waiting thread also does some of the work.
        let sum = LargeStack.run {
            let sum = Locked(0)
            LargeStack.concurrently(4) { _ in
                let levels = Self.descend(Self.levels)
                sum.withLock { $0 += levels }
            }
            return sum.withLock { $0 }
        }
        #expect(sum == 4 * Self.levels)
    }
}
