// SPDX-License-Identifier: MIT

import PlatformLibc

/// Threads with stacks that are large enough for deeply nested input.
///
/// On Apple's systems, every thread except the main one, including those of Dispatch, has 512 KiB unless it asks for
/// more.
package enum LargeStack {
    /// The size of a stack in bytes; the system provides memory only for the part that is used.
    package static let size = 64 << 20

    /// Holds the function that a thread runs, because a C thread gets only a pointer.
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs a function on a new thread, without waiting for it.
    ///
    /// - Returns: whether the system could make the thread.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = thread(body) else { return false }
        pthread_detach(thread)
        return true
    }

    /// Runs a function on a thread of its own and waits for it; if the system cannot create a thread, runs the function
    /// on the calling thread.
    ///
    /// - Returns: the result of the function.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
        let result = Locked<Result?>(nil)
        if let thread = thread({
            let value = body()
            result.withLock { $0 = value }
        }) {
            pthread_join(thread, nil)
        }
        return result.withLock { $0 } ?? body()
    }

    /// Runs a function for each index below a count, with as many calls at a time as there are processors, and waits
    /// for all.
    package static func concurrently(_ count: Int, _ body: @Sendable (Int) -> Void) {
        let next = Locked(0)
        let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        withoutActuallyEscaping(body) { body in
            let work = { @Sendable in
                while true {
                    let index = next.withLock { next in
                        defer { next += 1 }
                        return next
                    }
                    guard index < count else { return }
                    body(index)
                }
            }
            // The calling thread works too: alone, if the system cannot create other threads.
            let threads = (1..<max(1, min(count, processors))).compactMap { _ in thread(work) }
            work()
            for thread in threads { pthread_join(thread, nil) }
        }
    }

    /// Creates a thread, which has to be joined or detached; nil if the system cannot create one.
    private static func thread(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return nil }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, size)
        let work = Unmanaged.passRetained(Work(body))
        let thread: pthread_t? = created {
            pthread_create(
                $0, &attributes,
                { argument in
                    let argument: UnsafeMutableRawPointer? = argument
                    if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                    return nil
                }, work.toOpaque())
        }.flatMap { $0 }
        if thread == nil { work.release() }
        return thread
    }

    /// Calls a C function that stores an identifier at a pointer, and returns the identifier; nil if the function
    /// fails.
    ///
    /// It is generic because the identifier's type is optional only on some systems.
    private static func created<ID>(_ create: (UnsafeMutablePointer<ID>) -> Int32) -> ID? {
        let id = UnsafeMutablePointer<ID>.allocate(capacity: 1)
        defer { id.deallocate() }
        return create(id) == 0 ? id.pointee : nil
    }
}
