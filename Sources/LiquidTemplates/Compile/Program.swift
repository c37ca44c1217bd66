// SPDX-License-Identifier: MIT

import DiagnosticSources
import PlatformLibc

/// A compiled template: instructions, and the tables that they refer to.
///
/// It is immutable.
final class Program: Sendable {
    /// One step of a path into a value.
    struct Step: Sendable {
        enum Kind: UInt8, Sendable {
            case key
            case size
            case first
            case last
            /// An attribute: the one with exactly this name or, if there is none, the path that the name spells.
            case attribute
            /// An element, by an index that is written inside an attribute's name.
            case element
        }

        var kind: Kind
        /// Whether a missing value is not an error; only for ``Instruction/step(_:endTo:)``.
        var mayMiss = false
        /// The name, by its index in ``Program/keys``.
        var key: Int32
        /// The index of an element, for the kind `element`.
        var index = 0
        /// The path that an attribute's name spells, as steps in ``Lists/spellings``.
        var spelled = Steps()
    }

    /// Consecutive steps in ``Program/steps`` or ``Lists/spellings``.
    struct Steps: Sendable {
        var first: Int32 = 0
        var count: Int32 = 0
    }

    /// A variable and the steps into it.
    struct Path: Sendable {
        /// The name, by its index in ``Program/names``.
        var root: Int32
        var steps: Steps
        /// The range of the path in the template.
        var range: SourceRange
    }

    /// A condition on one variable, which needs no values on the stack.
    struct Test: Sendable {
        /// The value that is tested.
        enum Subject: Sendable {
            /// The value of a path; a variable that does not exist is not an error.
            case path(Int32)
            /// A property of the innermost `for`.
            case loopField(LoopField)
        }

        /// What must be true of the value.
        enum Relation: Sendable {
            case isTruthy
            case isBlank(isNegated: Bool)
            case isEmpty(isNegated: Bool)
            /// A comparison of the value with a constant holds.
            case compares(Comparison, Int32)
        }

        let subject: Subject
        let relation: Relation
    }

    /// A call of a filter whose arguments are constants, which are read in place.
    struct FilterCall: Sendable {
        /// The filter, by its index in ``Environment/filters``.
        let filter: Int32
        /// The first argument, by its index in ``Program/constants``; the other arguments follow it.
        let constants: Int32
        let count: Int32
        /// The path of the input, for the instructions that do not take it from the stack.
        var path: Int32 = 0
        /// Whether the path may start from a variable that does not exist, without an error.
        var mayMiss = false
    }

    /// What the instructions of a `for` or `tablerow` need to know of it; names are indices in ``Program/names``.
    struct LoopInfo: Sendable {
        var variable: Int
        /// The name `forloop` or `tablerowloop`; nil if the body does not use it as a value.
        var loopName: Int?
        /// The index of the name by which `offset: continue` finds where the last loop with this name ended.
        var resumeName: Int
        var hasLimit = false
        var hasOffset = false
        var hasColumns = false
        var resumes = false
        var isReversed = false
    }

    /// What the instructions of an `include` or `render` need to know of it.
    struct PartialInfo: Sendable {
        var kind: PartialKind
        var hasValue: Bool
        var isLoop: Bool
        var alias: String?
        var arguments: [Int]
    }

    /// The instructions of a node; after an error in one of them, rendering continues at the end of the span.
    struct Span: Sendable {
        var start: Int32
        var end: Int32 = 0
        /// The place of the node, its line as the reference implementation counts it, and whether the reference
        /// implementation counts it as white space.
        var node: SourceRange
        var line: Int32
        var isBlank: Bool
        /// The number of loops, captures and cases that are open around the node; the parser's
        /// ``TemplateParser/maximumDepth`` keeps them small.
        var loops: UInt8
        var captures: UInt8
        var cases: UInt8
    }

    /// The operands of a tag of a dialect.
    struct CustomTag: Sendable {
        var name: String
        var run: TagRun
        /// The number of values that the tag takes from the stack.
        var count: Int
    }

    /// Tables of operands that most programs do not need.
    struct Lists: Sendable {
        /// The steps of all paths that are spelled out in names of attributes.
        var spellings: [Step] = []
        /// The keys of the objects that ``Instruction/makeObject(keys:)`` builds.
        var keyLists: [[String]] = []
        var partials: [PartialInfo] = []
        var customTags: [CustomTag] = []
        var errors: [LiquidError] = []
        /// The uses of unknown filters, in the order of the code.
        var unknownFilters: [FilterSyntax] = []
        /// The branches that a recording program counts; empty for all other programs, as are ``branchNodes``.
        var branches: [TemplateBranch] = []
        var branchNodes: [BranchNode] = []
    }

    /// The dialect, for instructions that call its filters.
    let environment: Environment
    let instructions: FixedTable<Instruction>
    /// The bytes that ``Instruction/text(start:count:)`` prints; the memory after them can be read, as
    /// ``ByteBuffer/append(padded:_:)`` does.
    let text: FixedTable<UInt8>
    let constants: FixedTable<Value>
    let names: FixedTable<Name>
    let paths: FixedTable<Path>
    let steps: FixedTable<Step>
    let tests: FixedTable<Test>
    let calls: FixedTable<FilterCall>
    let loops: FixedTable<LoopInfo>
    /// The names that steps refer to.
    let keys: FixedTable<Name>
    /// Tables of operands that most programs do not need.
    let lists: Lists
    /// The spans in ascending order of their starts; an inner span comes after the one around it.
    let spans: FixedTable<Span>
    /// The place of the template that each instruction comes from.
    let places: FixedTable<SourceRange>
    let parsed: ParsedTemplate

    /// Takes over the tables of a compiler.
    init(_ compiler: consuming Compiler) {
        environment = compiler.parsed.environment
        instructions = compiler.instructions.finish()
        text = compiler.text.finish(padding: ByteBuffer.padding)
        constants = compiler.constants.finish()
        names = FixedTable(compiler.names.names)
        paths = compiler.paths.finish()
        steps = compiler.steps.finish()
        tests = compiler.tests.finish()
        calls = compiler.calls.finish()
        loops = compiler.loops.finish()
        keys = FixedTable(compiler.keys.names)
        lists = compiler.lists
        spans = compiler.spans.finish()
        places = compiler.places.finish()
        parsed = compiler.parsed
    }

    deinit {
        instructions.deallocate()
        text.deallocate()
        constants.deallocate()
        names.deallocate()
        paths.deallocate()
        steps.deallocate()
        tests.deallocate()
        calls.deallocate()
        loops.deallocate()
        keys.deallocate()
        spans.deallocate()
        places.deallocate()
    }

    /// The arguments of a filter call, which are constants of the program.
    @inline(__always)
    func arguments(of call: UnsafePointer<FilterCall>) -> UnsafeBufferPointer<Value> {
        UnsafeBufferPointer(start: constants.base + Int(call.pointee.constants), count: Int(call.pointee.count))
    }

    /// The place of the template that an instruction comes from.
    func place(of instruction: Int) -> SourceRange { places[min(instruction, places.count - 1)] }

    /// The innermost span that contains an instruction.
    func span(at instruction: Int) -> Span? {
        let next = (0..<spans.count).partitioningIndex { Int(spans[$0].start) > instruction }
        return (0..<next).last { Int(spans[$0].end) > instruction }.map { spans[$0] }
    }
}

/// One instruction of a program.
///
/// Operands without a label are indices into the program's tables; `to` and similar labels are indices of instructions.
/// An instruction contains only integers, twelve bytes in total, which a test checks.
enum Instruction {
    /// Appends bytes of the program's text.
    case text(start: Int32, count: Int32)
    /// Prints the value of a path.
    case emitPath(Int32)
    /// Prints a property of the innermost `for`.
    case emitLoopField(LoopField)
    /// Pops a value and prints it.
    case emit
    /// Pops the value that a `cycle` has chosen, prints it, and moves the cycle to its next position.
    case emitCycled

    case pushConstant(Int32)
    /// Pushes the value of a path; with `mayMiss`, a variable that does not exist is not an error.
    case pushPath(Int32, mayMiss: Bool)
    /// Pushes a property of the innermost `for`.
    case pushLoopField(LoopField)
    /// Replaces a name by the value of the variable with that name.
    case findVariable
    /// Replaces two bounds by their range.
    case makeRange
    /// Replaces a value and an index by the element; if there is none, by nil, and jumps to the end of the lookup.
    case index(mayMiss: Bool, endTo: Int32)
    /// Replaces a value by the result of one step of a path; if there is none, by nil, and jumps to the end of the
    /// lookup.
    case step(Int32, endTo: Int32)
    /// Replaces values by an object whose keys are in a list of the program.
    case makeObject(keys: Int32)
    /// Pushes a copy of the last value.
    case copy
    /// Drops `count` values.
    case drop(count: Int32)

    /// Calls a filter with a value and arguments from the stack.
    case filter(Int32, arguments: Int32)
    /// Calls a filter with a value and arguments from the stack, and prints the result.
    case filterAndEmit(Int32, arguments: Int32)
    /// Calls a filter with a value from the stack.
    case apply(Int32)
    /// Calls a filter with a value from the stack, and prints the result.
    case applyAndEmit(Int32)
    /// Calls a filter with the value of a path.
    case applyToPath(Int32)
    /// Calls a filter with the value of a path, and prints the result.
    case applyToPathAndEmit(Int32)
    /// Replaces two values by the result of comparing them.
    case compare(Comparison)
    /// Replaces a value by true if it is blank or, if negated, if it is not blank, and otherwise by false.
    case testBlank(isNegated: Bool)
    /// Replaces a value by true if it is empty or, if negated, if it is not empty, and otherwise by false.
    case testEmpty(isNegated: Bool)
    /// Fails with an error.
    case fail(Int32)

    case jump(to: Int32)
    /// Pops a value and jumps when it is false or nil.
    case jumpIfFalse(to: Int32)
    /// Pops a value and jumps when it is neither false nor nil.
    case jumpIfTrue(to: Int32)
    /// Jumps when a test fails.
    case jumpUnless(Int32, to: Int32)
    /// Jumps when a test holds.
    case jumpIf(Int32, to: Int32)

    /// Pops a value and assigns it to a name.
    case assign(Int32)
    case captureBegin
    /// Ends the capture and assigns its text to a name.
    case captureEnd(Int32)
    /// Ends the capture and prints it if it differs from the last one.
    case captureChanged
    /// Changes the counter of a name by `by` and prints it.
    case counter(Int32, by: Int32)

    /// Starts a loop, or jumps if there are no elements.
    case loopBegin(Int32, elseTo: Int32)
    /// Moves the loop to its next element and jumps; at the end of the loop, falls through.
    case loopNext(to: Int32)
    case loopEnd
    /// Starts a table; if there are no elements, prints an empty row and jumps.
    case tableBegin(Int32, elseTo: Int32)
    /// Ends a cell, begins the cell of the next element and jumps; in the last cell, only falls through.
    case tableNext(to: Int32)
    /// Ends a cell and the table.
    case tableEnd

    case caseBegin
    /// Calls the code at an instruction, which pushes the subject of the `case` and returns to the instruction after
    /// this one.
    case caseSubject(at: Int32)
    /// Jumps to the branch of a value that matched; the branch returns to the instruction after this one.
    case caseMatch(to: Int32)
    /// Returns from a branch or from the code of the subject.
    case caseReturn
    /// Jumps when a branch has matched.
    case caseElse(to: Int32)
    case caseEnd
    /// Pops a cycle's key and runs the jump for its position, one of `count` after this instruction; jumps if there is
    /// none.
    case cycle(count: Int32, elseTo: Int32)

    /// Adds a pending interrupt.
    case interrupt(Interrupt)
    /// Removes the last pending interrupt, if there is one, and jumps to the target for its kind.
    case takeInterrupt(breakTo: Int32, continueTo: Int32)
    /// Jumps if an interrupt is pending; a negative target ends the program.
    case passInterrupt(to: Int32)

    /// Loads the partial whose name is on the stack, before the arguments of the tag are evaluated.
    case loadPartial(Int32)
    /// Sets the name of an argument to the value on the stack, for the values of the arguments after it.
    case bindArgument(Int32)
    /// Gives the names of the last `count` arguments the values that they had before.
    case unbindArguments(count: Int32)
    /// Renders the partial that an `include` or `render` names.
    case partial(Int32)
    /// Pops a name and pushes the text of the partial with that name.
    case partialValue
    /// Pops a name and prints the text of the partial with that name.
    case emitPartial
    /// Runs a tag of a dialect; jumps if its body is skipped.
    case custom(Int32, elseTo: Int32)

    /// Counts a branch; see ``Recorder``.
    case recordBranch(Int32)
    /// Counts the branch if the `default` filter that comes next keeps its input, and otherwise the branch after it.
    case recordDefault(Int32, arguments: Int32)
    /// Assigns the output since the last such instruction to the place that this instruction comes from.
    case recordSpan(mayBePartial: Bool)

    /// Counts the nodes of a block and charges their units of work.
    case score(nodes: Int32, work: Int32)
    case end

    /// The instruction to which it jumps, for `takeInterrupt` that of `break`; -1 if it does not jump.
    var target: Int32 {
        switch self {
        case .jump(let target), .jumpIfFalse(let target), .jumpIfTrue(let target), .caseMatch(let target),
            .caseElse(let target), .passInterrupt(let target), .loopNext(let target), .tableNext(let target),
            .jumpUnless(_, let target), .jumpIf(_, let target), .loopBegin(_, let target), .tableBegin(_, let target),
            .custom(_, let target), .cycle(_, let target), .index(_, let target), .step(_, let target),
            .takeInterrupt(let target, _):
            target
        default: -1
        }
    }

    /// The instruction with another target, if it jumps; for `takeInterrupt`, that is the target of `break`.
    func jumping(to target: Int32) -> Instruction {
        switch self {
        case .jump: .jump(to: target)
        case .jumpIfFalse: .jumpIfFalse(to: target)
        case .jumpIfTrue: .jumpIfTrue(to: target)
        case .jumpUnless(let test, _): .jumpUnless(test, to: target)
        case .jumpIf(let test, _): .jumpIf(test, to: target)
        case .caseMatch: .caseMatch(to: target)
        case .caseElse: .caseElse(to: target)
        case .passInterrupt: .passInterrupt(to: target)
        case .loopNext: .loopNext(to: target)
        case .tableNext: .tableNext(to: target)
        case .loopBegin(let loop, _): .loopBegin(loop, elseTo: target)
        case .tableBegin(let loop, _): .tableBegin(loop, elseTo: target)
        case .custom(let tag, _): .custom(tag, elseTo: target)
        case .cycle(let count, _): .cycle(count: count, elseTo: target)
        case .index(let mayMiss, _): .index(mayMiss: mayMiss, endTo: target)
        case .step(let step, _): .step(step, endTo: target)
        case .takeInterrupt(_, let next): .takeInterrupt(breakTo: target, continueTo: next)
        default: self
        }
    }
}

/// The kind of interrupt that ends an iteration of a loop early.
enum Interrupt: UInt8 {
    case `break`
    case `continue`
}

/// An immutable table of a program.
///
/// Reading an element of an array in a class retains the array each time. The tables of a program are read several
/// times for each instruction, so they are plain memory, which the `deinit` of the owner frees. For the same reason,
/// the renderer passes elements that hold references by their address: ``base`` and an index that the compiler has
/// written, which nothing checks. Whoever uses an address keeps the owner alive.
///
/// The elements never change while threads share the table.
struct FixedTable<Element: Sendable>: @unchecked Sendable {
    let base: UnsafePointer<Element>
    let count: Int

    init(_ elements: [Element]) {
        var builder = TableBuilder<Element>(capacity: elements.count)
        elements.withUnsafeBufferPointer { builder.append(contentsOf: $0) }
        self = builder.finish()
    }

    /// Takes ownership of memory that holds the elements.
    fileprivate init(adopting memory: UnsafeMutablePointer<Element>, count: Int) {
        base = UnsafePointer(memory)
        self.count = count
    }

    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "an index is beyond the table")
        return base[index]
    }

    /// The elements of a range, which is not checked; they are valid as long as the table is.
    @inline(__always)
    subscript(range: Range<Int>) -> UnsafeBufferPointer<Element> {
        UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    @inline(__always)
    func deallocate() {
        let memory = UnsafeMutablePointer(mutating: base)
        memory.endElements(count: count)
        free(memory)
    }
}

/// Builds a ``FixedTable``, which takes over the memory: copying arrays makes reading large templates a tenth slower.
struct TableBuilder<Element: Sendable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    /// Creates an empty table with room for some elements.
    @inline(__always)
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        base = Self.memory(max(capacity, 1))
    }

    deinit {
        base.endElements(count: count)
        free(base)
    }

    /// Memory of the system's allocator.
    ///
    /// On Linux, `allocate` asks for aligned memory, which takes twice as long. Traps where the system has no memory
    /// left, as `allocate` does.
    private static func memory(_ count: Int) -> UnsafeMutablePointer<Element> {
        let bytes = count * MemoryLayout<Element>.stride
        guard let memory = malloc(bytes) else { fatalError("out of memory for \(bytes) bytes") }
        return memory.bindMemory(to: Element.self, capacity: count)
    }

    /// The element at an index, which must be below ``count`` and is not checked.
    subscript(index: Int) -> Element {
        get { base[index] }
        nonmutating _modify { yield &base[index] }
    }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if count == capacity { grow(to: count + 1) }
        (base + count).initialize(to: element)
        count &+= 1
    }

    @inline(__always)
    mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
        guard let first = elements.baseAddress else { return }
        if capacity - count < elements.count { grow(to: count + elements.count) }
        (base + count).initialize(from: first, count: elements.count)
        count &+= elements.count
    }

    /// Removes the elements from an index on.
    mutating func truncate(to index: Int) {
        (base + index).endElements(count: count - index)
        count = index
    }

    @inline(never)
    private mutating func grow(to least: Int) {
        let larger = max(capacity * 2, least)
        let elements = Self.memory(larger)
        elements.moveInitialize(from: base, count: count)
        free(base)
        base = elements
        capacity = larger
    }

    /// Returns the finished table.
    ///
    /// The memory of `padding` elements after the last one may be read; what it holds has no meaning.
    @inline(__always)
    consuming func finish(padding: Int = 0) -> FixedTable<Element> {
        if capacity - count < padding { grow(to: count + padding) }
        let table = FixedTable(adopting: base, count: count)
        discard self
        return table
    }
}

extension UnsafeMutablePointer {
    /// Ends the life of elements one by one.
    ///
    /// For several, `deinitialize(count:)` calls the runtime, which looks up in the type how to end each of them.
    @inline(__always)
    fileprivate func endElements(count: Int) {
        for index in 0..<count { (self + index).deinitialize(count: 1) }
    }
}
