// SPDX-License-Identifier: MIT

import CYaml

/// Reads the events of a YAML text from libyaml, one after the other.
///
/// Yams would build its own tree from the events. While doing so, it hashes each key with its whole content at each
/// level and expands aliases. Here, the code that reads the events limits depth and size before they cost time or
/// memory.
struct YAMLParser: ~Copyable {
    /// A place in the text as libyaml counts it: from 0 and in characters.
    struct Mark: Equatable {
        /// The number of characters before the place.
        var index = 0
        var line = 0
        var column = 0

        fileprivate init(_ mark: yaml_mark_t) {
            (index, line, column) = (Int(mark.index), Int(mark.line), Int(mark.column))
        }

        init() {}
    }

    /// Why a text is not a single YAML document, in the words of libyaml.
    struct Fault {
        var problem: String
        /// The place where libyaml noticed the fault; nil if it is not known.
        var mark: Mark?
        /// What libyaml was reading, and where that began; nil if libyaml does not say.
        var context: (text: String, mark: Mark)?
        /// Whether the fault is that collections are nested deeper than libyaml reads.
        var isAboutDepth = false
    }

    struct Event {
        enum Kind {
            case scalar(String, DocumentScalar.Style)
            case sequence
            case mapping
            case alias(String)
        }

        var kind: Kind
        var mark: Mark
        var anchor: String?
    }

    /// The parser is allocated separately, because libyaml keeps its address, which must not change.
    private let parser: UnsafeMutablePointer<yaml_parser_t>

    /// Creates a parser of a UTF-8 text.
    ///
    /// The buffer must outlive the parser.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        // If the parser cannot be created for lack of memory, the first event reports an error.
        guard yaml_parser_initialize(parser) == 1 else { return }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// The next event of libyaml: its type, its place and what it contains.
    ///
    /// `event` is nil at the end of a collection, and at the start and end of a document or the text.
    private mutating func nextEvent() throws(YAMLFailure) -> (type: yaml_event_type_t, mark: Mark, event: Event?) {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw .syntax(fault()) }
        defer { yaml_event_delete(&event) }
        let mark = Mark(event.start_mark)
        let kind: Event.Kind
        let anchor: UnsafeMutablePointer<yaml_char_t>?
        switch event.type {
        case YAML_ALIAS_EVENT: (kind, anchor) = (.alias(Self.text(event.data.alias.anchor) ?? ""), nil)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            (kind, anchor) = (.scalar(text, Self.style(scalar.style)), scalar.anchor)
        case YAML_SEQUENCE_START_EVENT: (kind, anchor) = (.sequence, event.data.sequence_start.anchor)
        case YAML_MAPPING_START_EVENT: (kind, anchor) = (.mapping, event.data.mapping_start.anchor)
        default: return (event.type, mark, nil)
        }
        return (event.type, mark, Event(kind: kind, mark: mark, anchor: Self.text(anchor)))
    }

    /// The next node of the innermost open collection; nil at the end of that collection.
    mutating func next() throws(YAMLFailure) -> Event? { try nextEvent().event }

    /// Moves to the first event of the document; returns false if the text has no document.
    mutating func begin() throws(YAMLFailure) -> Bool {
        _ = try nextEvent()
        return try nextEvent().type != YAML_STREAM_END_EVENT
    }

    /// Checks that nothing comes after the document.
    mutating func finish() throws(YAMLFailure) {
        _ = try nextEvent()
        let (type, mark, _) = try nextEvent()
        guard type == YAML_STREAM_END_EVENT else {
            let context = (text: "expected a single document in the stream", mark: Mark())
            throw .syntax(Fault(problem: "but found another document", mark: mark, context: context))
        }
    }

    private func fault() -> Fault {
        let error = parser.pointee
        guard let words = error.problem, error.error == YAML_SCANNER_ERROR || error.error == YAML_PARSER_ERROR else {
            return Fault(problem: error.problem.map { String(cString: $0) } ?? "too little memory")
        }
        let problem = String(cString: words)
        return Fault(
            problem: problem,
            mark: Mark(error.problem_mark),
            context: error.context.map { (String(cString: $0), Mark(error.context_mark)) },
            isAboutDepth: problem.hasPrefix("Maximum nesting level reached"))
    }

    private static func text(_ anchor: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        anchor.map { String(cString: $0) }
    }

    private static func style(_ style: yaml_scalar_style_t) -> DocumentScalar.Style {
        switch style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE: .quoted
        case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
        default: .plain
        }
    }
}
