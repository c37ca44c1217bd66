// SPDX-License-Identifier: MIT

import SourceText

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
        /// The name, by its index in ``Program/keys``.
        var key: Int32
        /// The number of an element.
        var index = 0
        /// The path that an attribute's name spells, as steps in ``Program/spellings``.
        var spelled = Steps()
    }

    /// A range of consecutive steps.
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

    /// The operands of a loop.
    struct LoopInfo: Sendable {
        var variable: Int
        /// The name `forloop` or `tablerowloop`; nil where the body does not use it as a value.
        var loopName: Int?
        /// The index of the name by which `offset: continue` finds where the last such loop ended.
        var resumeName: Int
        var hasLimit = false
        var hasOffset = false
        var hasColumns = false
        var resumes = false
        var isReversed = false
    }

    /// The operands of a partial tag.
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
        /// The node.
        var part: PartID
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
        /// The number of values that it takes from the stack.
        var count: Int
    }

    /// The dialect, for instructions that call its filters.
    let environment: Environment
    let instructions: FixedTable<Instruction>
    let text: FixedTable<UInt8>
    let constants: FixedTable<Value>
    let names: FixedTable<Name>
    /// The same names as an array, which frames share.
    let nameList: [Name]
    let paths: FixedTable<Path>
    let steps: FixedTable<Step>
    let spellings: FixedTable<Step>
    /// The names in steps.
    let keys: FixedTable<Name>
    let keyLists: [[String]]
    let loops: [LoopInfo]
    let partials: [PartialInfo]
    let customTags: [CustomTag]
    let errors: [LiquidError]
    /// The uses of unknown filters, in the order of the code.
    let unknownFilters: [PartID]
    /// The spans in ascending order of their starts; an inner span comes after the one around it.
    let spans: FixedTable<Span>
    /// The part of ``tree`` that each instruction comes from.
    let parts: FixedTable<PartID>
    let tree: SyntaxTree
    /// The arms that a program with records counts, and its nodes; empty for other programs.
    let arms: [Arm]
    let armNodes: [ArmNode]

    init(_ compiler: consuming Compiler) {
        environment = compiler.tree.environment
        instructions = compiler.instructions.finish()
        text = compiler.text.finish()
        constants = compiler.constants.finish()
        nameList = compiler.names.names
        names = FixedTable(nameList)
        paths = compiler.paths.finish()
        steps = compiler.steps.finish()
        spellings = compiler.spellings.finish()
        keys = FixedTable(compiler.keys.names)
        keyLists = compiler.keyLists
        loops = compiler.loops
        partials = compiler.partials
        customTags = compiler.customTags
        errors = compiler.errors
        unknownFilters = compiler.unknownFilters
        spans = compiler.spans.finish()
        parts = compiler.parts.finish()
        tree = compiler.tree
        arms = compiler.arms
        armNodes = compiler.armNodes
    }

    deinit {
        instructions.deallocate()
        text.deallocate()
        constants.deallocate()
        names.deallocate()
        paths.deallocate()
        steps.deallocate()
        spellings.deallocate()
        keys.deallocate()
        spans.deallocate()
        parts.deallocate()
    }

    /// The node of a span.
    func node(of span: Span) -> NodeSyntax { NodeSyntax(SyntaxCursor(tree, span.part)) }

    /// The innermost span that contains an instruction.
    func span(at instruction: Int) -> Span? {
        var low = 0
        var high = spans.count
        while low < high {
            let middle = (low + high) / 2
            if Int(spans.base[middle].start) <= instruction { low = middle + 1 } else { high = middle }
        }
        return UnsafeBufferPointer(start: spans.base, count: low).last { Int($0.end) > instruction }
    }
}
