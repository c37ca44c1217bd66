// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import JSONTexts
import LiquidTemplates

/// A push with its templates compiled, to be rendered many times.
struct CompiledMessage: Sendable {
    /// A part of the value of a field or a key-value pair.
    enum Piece: Sendable {
        /// JSON that is the same for every user.
        case json([UInt8])
        case text(CompiledText)
    }

    /// A field with a value.
    ///
    /// It is a class for the same reason as ``CompiledText``.
    final class Field: Sendable {
        let field: PushField
        /// What happens to a blank value; a copy from ``field``, as copying the whole field is slow.
        let whenBlank: PushField.WhenBlank
        /// The name of the field in payloads.
        let name: FieldName
        /// The key in the payload; a header's key is never written.
        let key: MemberKey
        /// The value; concatenated, the pieces are its JSON.
        let pieces: [Piece]
        let form: Form
        /// The text that is the whole value; nil for other values.
        let text: Uncounted<CompiledText>?
        /// Whether ``text`` is an address that contains Liquid.
        let printsAddress: Bool
        /// The JSON of a constant; empty for any other form.
        let constant: ByteBuffer
        /// The fields that are sent after this one, and only with it.
        let options: [Field]
        /// ``options``, without reference counting; this field keeps them alive.
        let uncountedOptions: UncountedList<Uncounted<Field>>
        /// The field as a header; nil if it is not a header, differs between messages, or has findings.
        let header: Payload.Header?

        /// Creates a field.
        ///
        /// For a field that an image causes to be sent, `isDeclared` says whether the campaign sets the field too; it
        /// is nil for any other field.
        init(_ field: PushField, _ pieces: [Piece], withImage isDeclared: Bool? = nil, options: [Field] = []) {
            self.field = field
            whenBlank = field.whenBlank
            name = FieldName(field.name.detached)
            key = MemberKey(field.key ?? "")
            self.pieces = pieces
            var text: CompiledText?
            var constant = ByteBuffer(capacity: 0)
            switch pieces.first {
            case _ where isDeclared != nil: form = .imageFlag(isDeclared: isDeclared ?? false)
            case .json(let json)? where pieces.count == 1:
                form = .constant
                json.withUnsafeBufferPointer { constant.append($0) }
            case .text(let whole)? where pieces.count == 1 && whole.role == .text:
                form = .text
                text = whole
            default: form = .pieces
            }
            self.text = text.map { Uncounted($0) }
            printsAddress = field.name == "uri" && text?.template != nil
            self.constant = constant
            self.options = options
            uncountedOptions = UncountedList(options.map { Uncounted($0) })
            header = Self.header(field, pieces)
        }

        private static func header(_ field: PushField, _ pieces: [Piece]) -> Payload.Header? {
            guard case .header = field.place else { return nil }
            switch pieces.first {
            case .json(let json)?: return Payload.Header(field, String(decoding: json, as: UTF8.self))
            case .text(let text)? where text.template == nil && !text.isBlank:
                guard StaticChecks.overLimitMessage(field, bytes: text.text.utf8.count) == nil else { return nil }
                return Payload.Header(field, text.text)
            default: return nil
            }
        }

        /// Whether every message has the field with this value and these options, and without findings about them.
        var isConstant: Bool {
            switch form {
            case .constant: true
            case .text: text?.with { $0.template == nil && !$0.isBlank } ?? false
            case .imageFlag, .pieces: false
            }
        }
    }

    /// The kind of a field's value, which determines how the value is written.
    enum Form: Sendable {
        case text
        case constant
        /// 1 if the message has an image, or the campaign sets the field.
        case imageFlag(isDeclared: Bool)
        /// A list with Liquid, a number that Liquid prints, or an object; few messages have one.
        case pieces
    }

    /// A key-value pair; a class for the same reason as ``CompiledText``.
    final class Extra: Sendable {
        /// The index of the pair in the campaign.
        let index: Int
        /// The name of the field in payloads; nil if the key is rendered.
        let name: FieldName?
        let key: CompiledText
        /// The key as it is written, if it needs no rendering.
        let writtenKey: MemberKey
        /// The requirement for the pair, with its index in ``CompiledMessage/contracts``; nil if there is none, or the
        /// key is rendered.
        let requirement: (index: Int, contract: ExtrasContract)?
        /// The reads of the pair in the app's code that may fail to cast or convert a rendered value.
        let reads: [ValueRead]
        /// The value; concatenated, the pieces are its JSON or its text.
        let pieces: [Piece]
        /// The text that is the whole value; nil for a mapping or list.
        let text: Uncounted<CompiledText>?
        /// Whether the value is sent as JSON instead of text.
        let isJSON: Bool

        init(
            _ index: Int,
            name: FieldName?,
            key: CompiledText,
            requirement: (index: Int, contract: ExtrasContract)?,
            reads: [ValueRead],
            isJSON: Bool,
            _ pieces: [Piece]
        ) {
            self.index = index
            self.name = name
            self.key = key
            writtenKey = MemberKey(key.text)
            self.requirement = requirement
            self.reads = reads
            self.isJSON = isJSON
            self.pieces = pieces
            text = if pieces.count == 1, case .text(let text)? = pieces.first { Uncounted(text) } else { nil }
        }
    }

    struct Button: Sendable {
        let button: PushMessage.Button
        let action: PushMessage.Button.Action?
        let uri: CompiledText?
    }

    /// The fields of `aps.alert`, of `aps`, next to `aps`, and of the headers.
    ///
    /// Each list is in the order of the field table.
    private(set) var alert: [Field] = []
    private(set) var aps: [Field] = []
    private(set) var top: [Field] = []
    private(set) var headers: [Field] = []
    /// The headers, if they are the same for all messages; else nil.
    private(set) var constantHeaders: [Payload.Header]?
    /// The field of ``aps`` that is the category.
    private(set) var category: Field?
    private(set) var extras: [Extra] = []
    private(set) var imageURL: CompiledText?
    private(set) var buttons: [Button] = []

    /// The id of the campaign.
    let apiID: String?

    /// The place of the category; without one, the whole file.
    let categoryPlace: SourcePlace

    /// Whether the category contains Liquid.
    ///
    /// If so, the extension that reads the pairs is known only after rendering each message.
    let rendersCategory: Bool

    /// Whether the push is a background push: it has no alert and wakes the app.
    let isBackground: Bool

    /// The requirements for key-value pairs, and their indices by the bytes of the key.
    private(set) var contracts: [ExtrasContract] = []
    private(set) var requirements: [[UInt8]: Int] = [:]

    /// The errors in the templates.
    private(set) var diagnostics: [Diagnostic] = []

    /// The warnings about the templates.
    private(set) var warnings: [Diagnostic] = []

    private var suggestions = Suggestions()

    /// Whether keys are rendered, so that two pairs may get the same key.
    private(set) var hasRenderedKeys = false

    private let environment: Environment
    private let mode: ErrorMode

    init(_ campaign: Campaign, environment: Environment, mode: ErrorMode) {
        let push = campaign.push
        apiID = campaign.identity.apiID?.detached
        categoryPlace = push.category?.place ?? SourcePlace(wholeFile: campaign.file)
        rendersCategory = push.category?.holdsLiquid ?? false
        isBackground = push.isBackground
        for (index, extra) in (campaign.requirements?.extras ?? []).enumerated() {
            requirements[Array(extra.key.utf8)] = index
            contracts.append(ExtrasContract(extra))
        }
        self.environment = environment
        self.mode = mode
        for field in push.table.fields {
            guard let compiled = compiled(field, in: push) else { continue }
            switch field.place {
            case .alert: alert.append(compiled)
            case .aps: aps.append(compiled)
            case .top: top.append(compiled)
            case .header: headers.append(compiled)
            case .braze, .member: break
            }
        }
        constantHeaders = Self.constant(headers)
        category = aps.first { $0.field.name == "category" }
        let reads = campaign.codeReads.sorted { $0.key < $1.key }.map(\.value)
        extras = push.extras.enumerated().compactMap { index, extra in
            guard let key = compile(extra.key), let pieces = pieces(extra.value) else { return nil }
            let (text, isJSON, hasLiquid) = (extra.key.text, extra.value.isJSON, !Self.texts(pieces).isEmpty)
            let requirement = key.template == nil ? requirements[Array(text.utf8)].map { ($0, contracts[$0]) } : nil
            return Extra(
                index,
                name: key.template == nil ? FieldName(Payload.Field.extrasPrefix + text) : nil,
                key: key,
                requirement: requirement,
                reads: key.template == nil && requirement == nil && hasLiquid
                    ? reads.flatMap { $0.valueReads(of: text, isJSON: isJSON) } : [],
                isJSON: isJSON,
                pieces
            )
        }
        hasRenderedKeys = extras.contains { $0.name == nil }
        imageURL = compile(push.image?.url)
        buttons = push.buttons.map { button in
            Button(button: button, action: Self.action(of: button), uri: compile(button.uri))
        }
    }

    /// Every text with Liquid.
    var texts: [CompiledText] {
        var texts = (alert + aps + top + headers).flatMap { Self.texts($0.pieces) }
        for extra in extras { texts += Self.texts([.text(extra.key)] + extra.pieces) }
        return texts + ([imageURL] + buttons.map(\.uri)).compactMap(\.self).filter { $0.template != nil }
    }

    private static func texts(_ pieces: [Piece]) -> [CompiledText] {
        pieces.compactMap { if case .text(let text) = $0, text.template != nil { text } else { nil } }
    }

    /// A copy of the message in which texts that need no rendering replace all texts with Liquid.
    func replacing(_ replacement: (CompiledText) -> CompiledText) -> CompiledMessage {
        func text(_ old: CompiledText) -> CompiledText { old.template == nil ? old : replacement(old) }
        func pieces(_ old: [Piece]) -> [Piece] {
            old.map { if case .text(let old) = $0 { .text(text(old)) } else { $0 } }
        }
        func fields(_ old: [Field]) -> [Field] {
            old.map { old in
                guard case .imageFlag = old.form else {
                    return Field(old.field, pieces(old.pieces), options: old.options)
                }
                return old
            }
        }
        var message = self
        message.alert = fields(alert)
        message.aps = fields(aps)
        message.category = message.aps.first { $0.field.name == "category" }
        message.top = fields(top)
        message.headers = fields(headers)
        message.constantHeaders = Self.constant(message.headers)
        message.extras = extras.map { old in
            Extra(
                old.index, name: old.name, key: text(old.key), requirement: old.requirement, reads: old.reads,
                isJSON: old.isJSON, pieces(old.pieces))
        }
        message.imageURL = imageURL.map(text)
        message.buttons = buttons.map { Button(button: $0.button, action: $0.action, uri: $0.uri.map(text)) }
        return message
    }

    private static func constant(_ headers: [Field]) -> [Payload.Header]? {
        let constant = headers.compactMap(\.header)
        return constant.count == headers.count ? constant : nil
    }

    /// The action that the campaign gives the button, else the action of Braze's predefined button with that id.
    private static func action(of button: PushMessage.Button) -> PushMessage.Button.Action? {
        if let action = button.action { return action.value }
        for category in StaticChecks.brazeCategories {
            for known in category.buttons where known.id.utf8.elementsEqual(button.actionID.value.utf8) {
                return known.accepts ? .openApp : .close
            }
        }
        return nil
    }

    /// The options of a field; the campaign's value takes precedence over the default of the field table.
    private func options(of owner: PushField, in push: PushMessage) -> [Field] {
        push.table.fields.compactMap { field in
            guard case .option(owner.name, let standard) = field.sending else { return nil }
            var isOn = standard
            if case .flag(let flag)? = push[field.name] { isOn = flag.value }
            return Field(field, [.json(Array("\(isOn)".utf8))])
        }
    }

    /// A field with its value; nil if nothing is sent, or a template has an error.
    private mutating func compiled(_ field: PushField, in push: PushMessage) -> Field? {
        let value = push[field.name]
        switch field.sending {
        case .option: return nil
        case .withImage:
            var isDeclared = false
            if case .flag(let flag)? = value { isDeclared = flag.value }
            guard isDeclared || push.image != nil else { return nil }
            return Field(field, [.json(Array("1".utf8))], withImage: isDeclared)
        case .byKind:
            guard let pieces = value.flatMap({ pieces(field, $0) }) else { return nil }
            return Field(field, pieces, options: options(of: field, in: push))
        }
    }

    private mutating func pieces(_ field: PushField, _ value: PushValue) -> [Piece]? {
        switch value {
        case .text(let text):
            var role = CompiledText.Role.text
            if case .count = field.kind { role = .number }
            if case .member = field.place { role = .member }
            return compile(text, as: role).map { [.text($0)] }
        case .texts(let texts, _):
            var list = JSONPieces("[")
            for text in texts { if let text = compile(text) { list.addElement([.text(text)]) } }
            return list.closed("]")
        case .members(let values, _):
            var object = JSONPieces("{")
            for (member, value) in zip(field.members, values) {
                guard let pieces = value.flatMap({ pieces(member, $0) }) else { continue }
                object.addElement([.json(Array("\"\(member.key ?? member.name)\":".utf8))] + pieces)
            }
            return object.closed("}")
        case .flag(let flag): return flag.value ? [.json(Array("1".utf8))] : nil
        case .word(let word): return [.json(ByteBuffer(json: word.value).withUnsafeBytes { Array($0) })]
        case .integer(let number): return [.json(Array(String(number.value).utf8))]
        case .number(let number): return [.json(Array(number.value.shortest.utf8))]
        case .time(let time): return [.json(Array(String(time.value.seconds).utf8))]
        }
    }

    private mutating func pieces(_ value: PushMessage.Extra.Value) -> [Piece]? {
        switch value {
        case .text(let text): return compile(text).map { [.text($0)] }
        case .json(let text): return compile(text, as: .json).map { [.text($0)] }
        case .composed(let pieces, _):
            return pieces.compactMap { piece in
                switch piece {
                case .json(let json): .json(Array(json.utf8))
                case .text(let text): compile(text).map { .text($0) }
                }
            }
        }
    }

    private mutating func compile(_ text: TemplateText?, as role: CompiledText.Role = .text) -> CompiledText? {
        guard let text else { return nil }
        guard text.holdsLiquid else { return CompiledText(text, as: role) }
        do throws(LiquidError) {
            let template = try Template(text.text, name: text.field.detached, environment: environment, mode: mode)
            for filter in template.unknownFilters { report(filter, in: text) }
            return CompiledText(text, as: role, template)
        } catch {
            // Reading the template again, without stopping at the first error, finds the other errors.
            let faults = Template.reading(text.text, environment: environment, mode: mode).faults
            diagnostics += (faults.isEmpty ? [error] : faults).map { fault in
                Diagnostic(
                    fault.code == .syntax ? fault.rule : .liquidSyntax,
                    fault.message,
                    at: fault.range.map { text.place(of: $0) } ?? text.place
                )
            }
            return nil
        }
    }

    /// Reports an unknown filter: as an error in the mode `strict2`, otherwise as a warning.
    private mutating func report(_ filter: FilterSyntax, in text: TemplateText) {
        let finding = Diagnostic(
            .unknownFilter,
            environment.messageForUnknownFilter(filter.name, &suggestions),
            at: text.place(of: filter.nameRange),
            severity: mode == .strict2 ? .error : .warning
        )
        if finding.severity == .error { diagnostics.append(finding) } else { warnings.append(finding) }
    }
}

/// The pieces of a JSON list or object.
private struct JSONPieces {
    private var pieces: [CompiledMessage.Piece] = []
    private var json: [UInt8]
    private var isEmpty = true

    init(_ opening: String) { json = Array(opening.utf8) }

    /// Adds an element, or a member with its key.
    mutating func addElement(_ element: [CompiledMessage.Piece]) {
        if !isEmpty { json.append(UInt8(ascii: ",")) }
        isEmpty = false
        for piece in element {
            switch piece {
            case .json(let constant): json += constant
            // A text without Liquid in a list is the same for every user.
            case .text(let text) where text.template == nil && text.role == .text:
                json += text.json.withUnsafeBytes { Array($0) }
            case .text:
                pieces += [.json(json), piece]
                json = []
            }
        }
    }

    /// All pieces, with the closing bracket.
    func closed(_ closing: String) -> [CompiledMessage.Piece] { pieces + [.json(json + closing.utf8)] }
}

/// A text of a campaign, compiled: its template, or its output where rendering cannot change it.
///
/// It is a class because all texts are passed on for each message, and copying a structure would change the reference
/// counts of all its parts. The parts that rendering reads are separate copies, so threads with their own texts never
/// change the same reference count; ``source``, which only findings read, is shared.
final class CompiledText: Sendable {
    let source: TemplateText
    let role: Role
    let field: String
    let template: Template?
    /// ``template`` without reference counting; this text keeps it alive.
    let uncountedTemplate: Uncounted<Template>?

    /// The output of a text without a template.
    let text: String
    /// ``text`` as JSON.
    let json: ByteBuffer
    /// Whether ``text`` is only white space.
    let isBlank: Bool

    /// How a text is used in the payload.
    enum Role {
        /// As a JSON string.
        case text
        /// As JSON.
        case json
        /// As a whole number.
        case number
        /// As a JSON string in the object of a field that is left out if the text is blank.
        case member
    }

    /// Creates a text.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - role: what the text is in the payload.
    ///   - template: the template; nil if the text holds no Liquid.
    init(_ source: TemplateText, as role: Role, _ template: Template? = nil) {
        self.source = source
        self.role = role
        field = source.field.detached
        self.template = template
        uncountedTemplate = template.map { Uncounted($0) }
        text = template == nil ? source.text.detached : ""
        json = template == nil ? ByteBuffer(json: text) : ByteBuffer()
        isBlank = template == nil && text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}
