// SPDX-License-Identifier: MIT

import SourceText

/// A compiled template: instructions, and the tables that they point into.
///
/// It never changes.
final class Program: Sendable {
    /// One step into a value.
    struct Step: Sendable {
        enum Kind: UInt8, Sendable {
            case key
            case size
            case first
            case last
            /// An attribute: the exact name, else the path that it spells.
            case attribute
            /// An element by a number inside an attribute's name.
            case element
        }

        var kind: Kind
        /// The name, by its index in ``Program/keys``.
        var key: Int32
        /// The number of an element.
        var index = 0
        /// The path that an attribute's name spells, in ``Program/spellings``.
        var spelled = Steps()
    }

    /// A run of steps.
    struct Steps: Sendable {
        var first: Int32 = 0
        var count: Int32 = 0
    }

    /// A variable and the steps into it.
    struct Path: Sendable {
        /// The name, by its index in ``Program/names``.
        var root: Int32
        var steps: Steps
        /// Where it is in the template.
        var range: SourceRange
    }

    /// What a loop needs beside its code.
    struct LoopInfo: Sendable {
        var variable: Int
        /// The name `forloop` or `tablerowloop`; nil where the body does not use it as a value.
        var loopName: Int?
        /// What `offset: continue` finds the loop by.
        var resumeName: Int
        var hasLimit = false
        var hasOffset = false
        var hasColumns = false
        var resumes = false
        var isReversed = false
    }

    /// What a partial tag needs beside its code.
    struct PartialInfo: Sendable {
        var kind: PartialKind
        var hasValue: Bool
        var isLoop: Bool
        var alias: String?
        var arguments: [Int]
    }

    /// The instructions of a node, and what goes on when one of them fails.
    struct Span: Sendable {
        var start: Int32
        var end: Int32 = 0
        /// The node.
        var part: PartID
        /// How many of each are open around it; tags nest no deeper than ``TemplateParser/maximumDepth``.
        var loops: UInt8
        var captures: UInt8
        var cases: UInt8
    }

    /// What a tag of a dialect needs besides its code.
    struct CustomTag: Sendable {
        var name: String
        var run: TagRun
        /// How many values it takes.
        var count: Int
    }

    /// The dialect; here for instructions that call its filters.
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
    /// The names that steps lead by.
    let keys: FixedTable<Name>
    let keyLists: [[String]]
    let loops: [LoopInfo]
    let partials: [PartialInfo]
    let customTags: [CustomTag]
    let errors: [LiquidError]
    /// The uses of filters that the dialect does not know, in the order of the code.
    let unknownFilters: [PartID]
    /// Ascending by start; an inner span comes after the one around it.
    let spans: FixedTable<Span>
    /// The part of ``tree`` that each instruction comes from.
    let parts: FixedTable<PartID>
    let tree: SyntaxTree

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

    /// The node whose instructions a span holds.
    func node(of span: Span) -> NodeSyntax { NodeSyntax(SyntaxCursor(tree, span.part)) }

    /// The innermost span that holds an instruction.
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
