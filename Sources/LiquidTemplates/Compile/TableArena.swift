// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The memory of the tables of a template, which is freed as a whole.
///
/// Most templates are small and have a dozen tables: asking the system for the memory of each, and giving it back,
/// would take a fifth of the time of reading such a template. A table that grows leaves its old memory unused.
struct TableArena: ~Copyable, Sendable {
    let memory: Memory

    /// Creates an arena with a block of so many bytes.
    init(bytes: Int) { memory = Memory(bytes: bytes) }

    deinit { memory.free() }

    /// The memory of an arena; a reference that does not keep it alive.
    ///
    /// It changes only while a template is read or a program is compiled, and one thread does that, so threads may
    /// share it afterwards.
    struct Memory: @unchecked Sendable {
        /// What is left of the last block, and that block, which begins with the address of the one before it.
        private struct State {
            var position: UnsafeMutableRawPointer
            var end: UnsafeMutableRawPointer
            var block: UnsafeMutableRawPointer?
        }

        /// At the start of the first block.
        private let state: UnsafeMutablePointer<State>

        fileprivate init(bytes: Int) {
            let block = UnsafeMutableRawPointer.bytes(MemoryLayout<State>.stride + bytes)
            state = block.bindMemory(to: State.self, capacity: 1)
            let start = block + MemoryLayout<State>.stride
            state.initialize(to: State(position: start, end: start + bytes, block: nil))
        }

        /// The alignment of each table; no element needs a greater one.
        @inline(__always)
        static var alignment: Int { 8 }

        /// Uninitialised memory for the elements of a table.
        @inline(__always)
        func table<Element>(of type: Element.Type, capacity: Int) -> UnsafeMutablePointer<Element> {
            let bytes = (capacity &* MemoryLayout<Element>.stride &+ Self.alignment &- 1) & ~(Self.alignment &- 1)
            if bytes > left { addBlock(bytes: bytes) }
            defer { state.pointee.position += bytes }
            return state.pointee.position.bindMemory(to: Element.self, capacity: capacity)
        }

        /// Makes sure that the next tables get their memory from one block if together they need at most `bytes`.
        @inline(__always)
        func reserve(bytes: Int) {
            if bytes > left { addBlock(bytes: bytes) }
        }

        /// Takes back memory that a table does not use; nothing happens unless that table is the last one.
        func giveBack(from start: UnsafeMutableRawPointer, to end: UnsafeMutableRawPointer) {
            guard end.alignedUp(toMultipleOf: Self.alignment) == state.pointee.position else { return }
            state.pointee.position = start.alignedUp(toMultipleOf: Self.alignment)
        }

        @inline(__always)
        private var left: Int { state.pointee.end - state.pointee.position }

        @inline(never)
        private func addBlock(bytes: Int) {
            let block = UnsafeMutableRawPointer.bytes(Self.alignment + bytes)
            block.storeBytes(of: state.pointee.block, as: UnsafeMutableRawPointer?.self)
            let start = block + Self.alignment
            state.pointee = State(position: start, end: start + bytes, block: block)
        }

        fileprivate func free() {
            var next = state.pointee.block
            while let block = next {
                next = block.load(as: UnsafeMutableRawPointer?.self)
                block.freeBytes()
            }
            UnsafeMutableRawPointer(state).freeBytes()
        }
    }
}

extension UnsafeMutableRawPointer {
    /// Memory of the system's allocator, for elements that need no special alignment.
    ///
    /// On Linux, `allocate` asks for aligned memory, which takes twice as long. Traps where the system has no memory
    /// left, as `allocate` does.
    static func bytes(_ count: Int) -> UnsafeMutableRawPointer {
        guard let memory = malloc(count) else { fatalError("out of memory for \(count) bytes") }
        return memory
    }

    /// Gives memory back to the system's allocator.
    func freeBytes() { free(self) }
}
