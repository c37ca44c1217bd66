// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import JSONTexts
import LiquidTemplates

/// A push with its templates compiled, to be rendered many times.
struct CompiledMessage: Sendable {
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
        let value: Value
        /// The kind of ``value``; reading it from the value itself would copy the value.
        let form: Form
        /// The text of ``value``; nil for other values.
        let text: Uncounted<CompiledText>?
        /// Whether ``text`` is an address that contains Liquid.
        let printsAddress: Bool
        /// The JSON of a constant; empty for any other kind of value.
        let constant: ByteBuffer
        /// The fields that are sent after this one, and only with it.
        let options: [Field]
        /// ``options``, without reference counting; this field keeps them alive.
        let uncountedOptions: UncountedList<Uncounted<Field>>
        /// The field as a header; nil where it differs between messages, or has findings.
        let header: Payload.Header?

        init(_ field: PushField, _ value: Value, options: [Field] = []) {
            self.field = field
            whenBlank = field.whenBlank
            name = FieldName(field.name.detached)
            key = MemberKey(field.key ?? "")
            self.value = value
            text = if case .text(let text) = value { Uncounted(text) } else { nil }
            printsAddress = field.name == "uri" && text?.counted.template != nil
            var constant = ByteBuffer(capacity: 0)
            switch value {
            case .text: form = .text
            case .constant(let json):
                form = .constant
                json.withUnsafeBufferPointer { constant.append($0) }
            case .imageFlag(let isDeclared): form = .imageFlag(isDeclared: isDeclared)
            case .texts, .count, .members: form = .other
            }
            self.constant = constant
            self.options = options
            uncountedOptions = UncountedList(options.map { Uncounted($0) })
            header = Self.header(field, value)
        }

        private static func header(_ field: PushField, _ value: Value) -> Payload.Header? {
            guard case .header = field.place else { return nil }
            switch value {
            case .constant(let json): return Payload.Header(field, String(decoding: json, as: UTF8.self))
            case .text(let text) where text.template == nil && !text.isBlank:
                guard StaticChecks.overLimitMessage(field, bytes: text.text.utf8.count) == nil else { return nil }
                return Payload.Header(field, text.text)
            default: return nil
            }
        }
    }

    /// The kind of a field's value, as far as it decides how the value is written.
    enum Form: Sendable {
        case text
        case constant
        case imageFlag(isDeclared: Bool)
        /// A list, a number that Liquid prints, or an object; few messages have one.
        case other
    }

    /// The value of a field.
    enum Value: Sendable {
        case text(CompiledText)
        case texts([CompiledText])
        /// Liquid that prints a whole number.
        case count(CompiledText)
        /// JSON that is the same for every user.
        case constant([UInt8])
        case members([Field])
        /// 1 if the message has an image, or the campaign sets the field.
        case imageFlag(isDeclared: Bool)
    }

    /// A key-value pair; a class for the same reason as ``CompiledText``.
    final class Extra: Sendable {
        /// The index of the pair in the campaign.
        let index: Int
        /// The name of the field in payloads; nil where the key is rendered.
        let name: FieldName?
        let key: CompiledText
        /// The key as it is written, if it needs no rendering.
        let writtenKey: MemberKey
        /// The requirement for the pair, with its index in ``CompiledMessage/contracts``; nil where there is none, or
        /// the key is rendered.
        let requirement: (index: Int, contract: ExtrasContract)?
        /// The reads of the pair in the app's code that may fail to cast or convert a rendered value.
        let reads: [ValueRead]
        let value: Value
        /// The text of the value that is rendered first and then written; nil where each piece is rendered separately.
        let text: Uncounted<CompiledText>?
        /// Whether the value is sent as JSON instead of text.
        let isJSON: Bool

        /// The value of a pair.
        enum Value: Sendable {
            case text(CompiledText)
            /// A text whose output is JSON.
            case json(CompiledText)
            case composed([Piece], at: SourcePlace)

            var isJSON: Bool {
                if case .text = self { false } else { true }
            }
        }

        /// A part of the JSON of a mapping or list.
        enum Piece: Sendable {
            case json([UInt8])
            case text(CompiledText)
        }

        init(
            _ index: Int,
            name: FieldName?,
            key: CompiledText,
            requirement: (index: Int, contract: ExtrasContract)?,
            reads: [ValueRead] = [],
            value: Value
        ) {
            self.index = index
            self.name = name
            self.key = key
            writtenKey = MemberKey(key.text)
            self.requirement = requirement
            self.reads = reads
            self.value = value
            text =
                switch value {
                case .text(let text), .json(let text): Uncounted(text)
                case .composed: nil
                }
            isJSON = value.isJSON
        }
    }

    struct Button: Sendable {
        let button: PushMessage.Button
        let action: PushMessage.Button.Action?
        let uri: CompiledText?
    }

    /// How a text of the message is used in the payload.
    enum Role {
        case text
        case json
        case number
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

    /// Whether the push has no alert, and is thus a background push.
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
            guard let value = value(of: field, in: push) else { continue }
            let compiled = Field(field, value, options: options(of: field, in: push))
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
            guard let key = compile(extra.key), let value = compile(extra.value) else { return nil }
            guard key.template == nil else { return Extra(index, name: nil, key: key, requirement: nil, value: value) }
            let requirement = requirements[Array(extra.key.text.utf8)].map { ($0, contracts[$0]) }
            return Extra(
                index,
                name: FieldName(Payload.Field.extrasPrefix + extra.key.text),
                key: key,
                requirement: requirement,
                reads: requirement == nil && value.texts.contains { $0.template != nil }
                    ? reads.flatMap { $0.valueReads(of: extra.key.text, isJSON: value.isJSON) } : [],
                value: value
            )
        }
        hasRenderedKeys = extras.contains { $0.name == nil }
        imageURL = compile(push.image?.url)
        buttons = push.buttons.map { button in
            Button(button: button, action: Self.action(of: button), uri: compile(button.uri))
        }
    }

    /// Every text of the message.
    var texts: [CompiledText] {
        var texts = (alert + aps + top + headers).flatMap(\.texts)
        for extra in extras { texts += [extra.key] + extra.value.texts }
        return texts + [imageURL].compactMap(\.self) + buttons.compactMap(\.uri)
    }

    /// The message with every text replaced by one that needs no rendering.
    func replacing(_ text: (CompiledText, Role) -> CompiledText) -> CompiledMessage {
        var message = self
        message.alert = alert.map { $0.replacing(text) }
        message.aps = aps.map { $0.replacing(text) }
        message.category = message.aps.first { $0.field.name == "category" }
        message.top = top.map { $0.replacing(text) }
        message.headers = headers.map { $0.replacing(text) }
        message.constantHeaders = Self.constant(message.headers)
        message.extras = extras.map { $0.replacing(text) }
        message.imageURL = imageURL.map { text($0, .text) }
        message.buttons = buttons.map { button in
            Button(button: button.button, action: button.action, uri: button.uri.map { text($0, .text) })
        }
        return message
    }

    /// The texts, each with its role.
    var textsWithRoles: [(text: CompiledText, role: Role)] {
        var texts: [(text: CompiledText, role: Role)] = []
        _ = replacing { text, role in
            texts.append((text, role))
            return text
        }
        return texts
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
            return Field(field, .constant(Array("\(isOn)".utf8)))
        }
    }

    private mutating func value(of field: PushField, in push: PushMessage) -> Value? {
        let value = push[field.name]
        switch field.sending {
        case .option: return nil
        case .withImage:
            var isDeclared = false
            if case .flag(let flag)? = value { isDeclared = flag.value }
            return isDeclared || push.image != nil ? .imageFlag(isDeclared: isDeclared) : nil
        case .byKind: return value.flatMap { compile(field, $0) }
        }
    }

    /// The value, compiled; nil where nothing is sent, or a template has an error.
    private mutating func compile(_ field: PushField, _ value: PushValue) -> Value? {
        switch value {
        case .text(let text):
            guard let text = compile(text) else { return nil }
            if case .count = field.kind { return .count(text) }
            return .text(text)
        case .texts(let texts, _): return .texts(texts.compactMap { compile($0) })
        case .members(let values, _):
            return .members(
                zip(field.members, values).compactMap { field, value in
                    value.flatMap { compile(field, $0) }.map { Field(field, $0) }
                }
            )
        case .flag(let flag): return flag.value ? .constant(Array("1".utf8)) : nil
        case .word(let word): return .constant(ByteBuffer(json: word.value).withUnsafeBytes { Array($0) })
        case .integer(let number): return .constant(Array(String(number.value).utf8))
        case .number(let number): return .constant(Array(number.value.shortest.utf8))
        case .time(let time): return .constant(Array(String(time.value.seconds).utf8))
        }
    }

    private mutating func compile(_ value: PushMessage.Extra.Value) -> Extra.Value? {
        switch value {
        case .text(let text): return compile(text).map { .text($0) }
        case .json(let text): return compile(text).map { .json($0) }
        case .composed(let pieces, let place):
            let pieces: [Extra.Piece] = pieces.compactMap { piece in
                switch piece {
                case .json(let json): .json(Array(json.utf8))
                case .text(let text): compile(text).map { .text($0) }
                }
            }
            return .composed(pieces, at: place)
        }
    }

    private mutating func compile(_ text: TemplateText?) -> CompiledText? {
        guard let text else { return nil }
        guard text.holdsLiquid else { return CompiledText(text) }
        do throws(LiquidError) {
            let compiled = try CompiledText(text, environment: environment, mode: mode)
            for filter in compiled.template?.unknownFilters ?? [] { report(filter, in: text) }
            return compiled
        } catch {
            // Reading the template again, without stopping at the first error, finds the further errors.
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

    /// Reports an unknown filter: as an error in the strict mode; else as a warning, as the filter returns its input.
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

extension CompiledMessage.Field {
    /// Whether every message has the field with this value and these options, and without findings about them.
    var isConstant: Bool {
        switch value {
        case .constant: true
        case .text(let text): text.template == nil && !text.isBlank
        case .texts, .count, .members, .imageFlag: false
        }
    }

    /// The texts of the value.
    fileprivate var texts: [CompiledText] {
        switch value {
        case .text(let text), .count(let text): [text]
        case .texts(let texts): texts
        case .members(let members): members.flatMap(\.texts)
        case .constant, .imageFlag: []
        }
    }

    fileprivate func replacing(
        _ text: (CompiledText, CompiledMessage.Role) -> CompiledText
    ) -> CompiledMessage.Field {
        let value: CompiledMessage.Value =
            switch value {
            case .text(let old): .text(text(old, .text))
            case .texts(let old): .texts(old.map { text($0, .text) })
            case .count(let old): .count(text(old, .number))
            case .members(let members): .members(members.map { $0.replacing(text) })
            case .constant, .imageFlag: value
            }
        return CompiledMessage.Field(field, value, options: options)
    }
}

extension CompiledMessage.Extra {
    fileprivate func replacing(
        _ text: (CompiledText, CompiledMessage.Role) -> CompiledText
    ) -> CompiledMessage.Extra {
        let value: Value =
            switch value {
            case .text(let old): .text(text(old, .text))
            case .json(let old): .json(text(old, .json))
            case .composed(let pieces, let place):
                .composed(
                    pieces.map { piece in
                        if case .text(let old) = piece { .text(text(old, .text)) } else { piece }
                    },
                    at: place
                )
            }
        return CompiledMessage.Extra(
            index, name: name, key: text(key, .text), requirement: requirement, reads: reads, value: value)
    }
}

extension CompiledMessage.Extra.Value {
    /// The texts of the value.
    fileprivate var texts: [CompiledText] {
        switch self {
        case .text(let text), .json(let text): [text]
        case .composed(let pieces, _):
            pieces.compactMap { if case .text(let text) = $0 { text } else { nil } }
        }
    }

    /// The place of the value in the campaign's files.
    var place: SourcePlace {
        switch self {
        case .text(let text), .json(let text): text.source.place
        case .composed(_, let place): place
        }
    }
}
