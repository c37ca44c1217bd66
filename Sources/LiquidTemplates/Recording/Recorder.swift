// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// Bytes of the output, and the range of a template that they come from.
public struct OutputSpan: Sendable, Hashable {
    /// The offsets in the output.
    public var output: Range<Int>

    /// The index of the template in ``Recorder/templates``.
    public var templateIndex: Int

    /// The node that printed the bytes; for text, exactly the printed bytes, unless the text has comments in it.
    public var source: SourceRange

    /// The span at an offset that is greater by `distance`.
    fileprivate func moved(by distance: Int) -> OutputSpan {
        let lower = output.lowerBound + distance
        return OutputSpan(output: lower..<lower + output.count, templateIndex: templateIndex, source: source)
    }
}

/// Records what renderings do: the branches that they take, and where each byte of their output comes from.
///
/// A renderer that has a recorder runs a second program of each template, which also records; other renderers run
/// programs without any such code. A recorder belongs to one renderer at a time. It keeps each template that was
/// rendered, so that one recorder can be used for any number of renderings of the same templates.
///
/// ```swift
/// var renderer = Renderer(RenderInput())
/// renderer.recorder = Recorder()
/// let template = try Template("{% if vip %}Gold{% else %}Hi{% endif %}")
/// _ = try renderer.render(template)
/// ```
public final class Recorder {
    /// A template that was rendered, and where its counts are.
    public struct RecordedTemplate: Sendable {
        /// The template.
        public let template: Template

        /// The index in ``Recorder/counts`` of the template's first branch; its other branches follow in order.
        public let first: Int

        /// The number of branches.
        public var branchCount: Int { program.lists.branches.count }

        let program: Program
        /// The program for partials that begin while an interrupt is pending.
        fileprivate var checked: Program?
    }

    /// The templates in the order in which they were first rendered.
    public private(set) var templates: [RecordedTemplate] = []

    /// For each branch of each of ``templates``, how many times renderings took it since ``begin()``.
    public private(set) var counts: [Int] = []

    /// The indices in ``counts`` of the branches that were taken since ``begin()``, in the order in which they were
    /// first taken.
    public private(set) var taken: [Int] = []

    /// The origins of the output of the last rendering, in the order of the output and without gaps.
    ///
    /// The list is empty if the recorder does not record spans. A content block that is printed as it is has the spans
    /// of its own template; the result of a filter belongs to the node that calls it. After a rendering that was
    /// stopped or failed, the spans are incomplete.
    public private(set) var spans: [OutputSpan] = []

    private let recording: Compiler.Recording
    private var indices: [ObjectIdentifier: Int] = [:]
    private var current = 0
    private var first = 0

    /// The offset in the output up to which ``spans`` are known.
    private var end = 0

    /// The last partial whose output became a value: its text, and its spans with offsets in that text.
    private var partial: (text: String, spans: [OutputSpan])?

    /// Creates a recorder.
    ///
    /// - Parameter recordsSpans: whether ``spans`` are recorded.
    public init(recordsSpans: Bool = true) { recording = recordsSpans ? .branchesAndSpans : .branches }

    /// Sets all ``counts`` to 0, and empties ``taken``.
    public func begin() {
        for index in taken { counts[index] = 0 }
        taken.removeAll(keepingCapacity: true)
    }

    /// Forgets all templates and counts.
    public func removeAll() {
        templates = []
        counts = []
        taken = []
        spans = []
        indices = [:]
    }

    // MARK: - For the renderer

    /// Begins a rendering, whose output is empty.
    func beginOutput() {
        spans.removeAll(keepingCapacity: true)
        end = 0
        partial = nil
    }

    /// Begins a template, and returns the index of the template that was current.
    func enter(_ template: Template) -> Int {
        let outer = current
        let key = ObjectIdentifier(template)
        if let known = indices[key] {
            select(known)
        } else {
            let program = Compiler.program(of: template.program.parsed, recording: recording)
            templates.append(RecordedTemplate(template: template, first: counts.count, program: program))
            counts.append(contentsOf: repeatElement(0, count: program.lists.branches.count))
            indices[key] = templates.count - 1
            select(templates.count - 1)
        }
        return outer
    }

    /// Continues with the template that was current before ``enter(_:)``.
    func leave(to outer: Int) { if templates.indices.contains(outer) { select(outer) } }

    private func select(_ templateIndex: Int) {
        current = templateIndex
        first = templates[templateIndex].first
    }

    /// The program of the current template: the usual one, or the one that checks for a pending `break` or `continue`.
    func program(checksInterrupts: Bool) -> Program {
        guard checksInterrupts else { return templates[current].program }
        if let known = templates[current].checked { return known }
        let parsed = templates[current].program.parsed
        let checked = Compiler.program(of: parsed, checksInterrupts: true, recording: recording)
        templates[current].checked = checked
        return checked
    }

    /// Counts a branch of the current template.
    func take(_ branch: Int) {
        let index = first + branch
        if counts[index] == 0 { taken.append(index) }
        counts[index] += 1
    }

    /// Notes that the output since the last call comes from a range of the current template, or that some of the output
    /// was taken back.
    ///
    /// New output that may be, and is exactly, the text of the last partial gets the spans of that partial.
    func note(_ range: SourceRange, upTo output: borrowing ByteBuffer, mayBePartial: Bool = false) {
        if output.count < end { return truncate(to: output.count) }
        guard output.count > end else { return }
        if mayBePartial, let partial, partial.text.utf8.count == output.count - end,
            output.string(from: end).sameBytes(as: partial.text)
        {
            spans += partial.spans.map { $0.moved(by: end) }
        } else {
            spans.append(OutputSpan(output: end..<output.count, templateIndex: current, source: range))
        }
        end = output.count
    }

    /// Forgets the partial before another one becomes a value.
    func beginPartial() { partial = nil }

    /// Notes that the output from an offset on is removed and becomes a value.
    func endPartial(_ text: String, from start: Int) {
        guard recording == .branchesAndSpans else { return }
        partial = (text, spans[firstSpan(from: start)...].map { $0.moved(by: -start) })
        truncate(to: start)
    }

    private func truncate(to newEnd: Int) {
        spans.removeSubrange(firstSpan(from: newEnd)...)
        if let last = spans.indices.last, spans[last].output.upperBound > newEnd {
            spans[last].output = spans[last].output.lowerBound..<newEnd
        }
        end = newEnd
    }

    /// The index of the first span that starts at or after an offset of the output.
    private func firstSpan(from offset: Int) -> Int { spans.partitioningIndex { $0.output.lowerBound >= offset } }
}

/// One of the ways that rendering can take at a decision of a template, such as a branch of an `if`.
///
/// The first branch of every template is the template itself. Branches are in the order of the compiled code, in which
/// a branch comes before the branches inside it.
public struct TemplateBranch: Sendable {
    /// The kind of a branch.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The whole template.
        case template
        /// A branch with a condition or values: `if`, `elsif`, `unless` or `when`.
        case branch
        /// The `else` of an `if`, `unless` or `case`.
        case otherwise
        /// No branch is taken, and there is no `else`.
        case noBranch
        /// A loop with at least one element.
        case elements
        /// A loop without elements, which renders its `else` if it has one.
        case noElements
        /// The `default` filter returns its input.
        case value
        /// The `default` filter replaces its input.
        case replacement
        /// A tag that always ends the message.
        case stop
    }

    /// The kind.
    public let kind: Kind

    /// The number of the decision; the branches of one decision are alternatives.
    public let decision: Int

    /// The index of the branch around the decision; nil for the template itself.
    public let parent: Int?

    /// The place: the tag that begins the branch, the name of the filter, or, if the branch has no tag of its own, the
    /// tag of the decision; for the template itself, all of it.
    public let range: SourceRange

    /// The tag that makes the decision; nil for the template itself and for a `default`.
    public let tag: TagSyntax?

    /// The branch with its condition; nil for a branch without a tag of its own.
    public let clause: ClauseSyntax?

    /// The `default` filter that makes the decision, in the value and filters that it is part of; nil for all other
    /// branches.
    public let filter: (call: FilterSyntax, markup: MarkupSyntax)?

    /// What a `case` compares or a loop iterates over; nil for other decisions.
    public var subject: ExpressionSyntax? { tag?.subject }
}

/// A node of a template, with the branch that renders it.
public struct BranchNode: Sendable, Hashable {
    /// The node's place; for a tag with a body, the place of its opening tag.
    public let range: SourceRange

    /// The index of the innermost branch around the node.
    public let branch: Int
}

/// The branches and nodes of a template, for reports about what its renderings have done.
public struct TemplateMap: Sendable {
    /// The branches.
    public let branches: [TemplateBranch]

    /// The nodes in the order of the source, without comments.
    public let nodes: [BranchNode]

    /// The nodes of the template with their syntax.
    public let root: BlockSyntax

    init(_ program: Program) {
        branches = program.lists.branches
        root = program.parsed.root
        nodes = program.lists.branchNodes
    }
}

extension Template {
    /// The branches and nodes of the template; compiles the template again.
    public var map: TemplateMap { TemplateMap(Compiler.program(of: program.parsed, recording: .branches)) }
}
