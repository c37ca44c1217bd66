// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import JSONTexts
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func notJSON(_ name: String) -> RuleMessage {
        "'\(name)' is sent as text that is not valid JSON, and code reads it as JSON"
    }
    fileprivate static func missing(_ name: String, isExit: Bool) -> RuleMessage {
        "'\(name)' is not sent, and code reads it and \(isExit ? "shows nothing" : "crashes") without it"
    }
    fileprivate static let alertAsText: RuleMessage =
        "code reads 'aps.alert' as text, and in this push it is an object with the title and body"
    fileprivate static let castOfPush: RuleMessage =
        "code casts the push to a dictionary of values of one type, which fails: its 'aps' is a dictionary"
}

/// A key-value pair of a campaign.
struct SentPair {
    let key: String

    /// Whether the value is sent as JSON.
    let isJSON: Bool

    /// What is known about the value that is sent.
    let value: SentValue

    /// The JSON value that is sent, as JSON or inside a text; nil if the value is not valid JSON or if only rendering
    /// shows its value.
    private let json: Value?

    init(_ extra: PushMessage.Extra) {
        key = extra.key.text
        isJSON = extra.value.isJSON
        let text =
            switch extra.value {
            case .text(let text), .json(let text): text.holdsLiquid ? nil : text.text
            case .composed(let pieces, _): pieces.jsonWithoutLiquid
            }
        let json = text.flatMap { try? Value(json: $0) }
        self.json = json
        value =
            isJSON
            ? json.map(Self.known) ?? extra.value.jsonType.map { .other($0) } ?? .unknown
            : .text(text)
    }

    /// What is known about the values that a read gets from this pair.
    ///
    /// - Parameter read: a read of the pair itself or of a key in its JSON.
    /// - Returns: the values: one for each element if the read goes through a list; none if the read does not concern
    ///   this pair.
    func values(of read: TargetCode.Read) -> [SentValue] {
        guard concerns(read) else { return [] }
        guard !read.path.isEmpty else { return [value] }
        return objects(of: read).compactMap { $0[read.key] }.map(Self.known)
    }

    /// The objects in the JSON in which a read looks up its key.
    private func objects(of read: TargetCode.Read) -> [LiquidObject] {
        var found = json.map { [$0] } ?? []
        for name in read.path.dropFirst() {
            found = found.flatMap { value -> [Value] in
                switch value {
                case .array(let elements) where name == "[]": elements
                case .object(let object): object[name].map { [$0] } ?? []
                default: []
                }
            }
        }
        return found.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }

    /// The keys in the JSON that no code reads and that are similar to a key which code looks up in the same object
    /// without finding it.
    ///
    /// - Parameters:
    ///   - reads: the reads in the code that gets the pair.
    ///   - known: the reads of all code that may handle the push.
    ///   - suggestions: finds the most similar key.
    /// - Returns: the keys, each with the read that was probably meant.
    func misspelt(
        comparedWith reads: [TargetCode.Read],
        known: [TargetCode.Read],
        _ suggestions: inout Suggestions
    ) -> [(key: String, read: TargetCode.Read)] {
        let nested = reads.filter { !$0.path.isEmpty && concerns($0) }
        var found: [(key: String, read: TargetCode.Read)] = []
        let readsByPath = Dictionary(grouping: nested, by: \.path)
        for (path, own) in readsByPath.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let names = Set(known.filter { $0.path == path }.map(\.key))
            for object in objects(of: own[0]) {
                let open = own.filter { object[$0.key] == nil }
                for key in object.keys where !names.contains(key) && !found.contains(where: { $0.key == key }) {
                    guard let near = suggestions.nearest(to: key, in: open.map(\.key)),
                        let read = open.first(where: { $0.key == near })
                    else { continue }
                    found.append((key, read))
                }
            }
        }
        return found
    }

    /// Whether an object in the JSON lacks the key that a read looks up.
    func isMissing(_ read: TargetCode.Read) -> Bool {
        !read.path.isEmpty && concerns(read) && objects(of: read).contains { $0[read.key] == nil }
    }

    /// Whether the value is a text that looks like JSON but is not valid JSON.
    var isBrokenJSON: Bool {
        guard case .text(let text?) = value, json == nil else { return false }
        let start = text.lazy.filter { !$0.isWhitespace }.prefix(2)
        // Ordinary text may begin with a bracket too: `[Sale] Now`.
        guard let first = start.first, let second = start.dropFirst().first else { return false }
        return first == "{" && "\"}".contains(second) || first == "[" && "\"{[]".contains(second)
    }

    /// The name of what a read gets: the pair, or a path of keys in its JSON.
    ///
    /// If `other` is given, it replaces the last key of the path.
    func name(of read: TargetCode.Read, with other: String? = nil) -> String {
        let names = read.path.isEmpty ? [key] : [key] + read.path.dropFirst() + [other ?? read.key]
        return names.joined(separator: ".").parts(between: ".[]").joined(separator: "[]")
    }

    /// Whether a read gets this pair or a key in its JSON.
    func concerns(_ read: TargetCode.Read) -> Bool {
        guard let first = read.path.first else { return read.key == key }
        // Code decodes JSON inside a text before it reads a key, so such reads have another path.
        return first == (isJSON ? key : key + "{json}")
    }

    private static func known(_ value: Value) -> SentValue {
        switch value {
        case .string(let text): .text(text)
        case .bool: .other(.boolean)
        case .integer, .float, .bigInteger: .other(.number)
        case .array: .other(.array)
        case .object: .other(.dictionary)
        default: .unknown
        }
    }
}

extension LintedCampaign {
    /// The findings about casts and conversions in code that fail for key-value pairs of the campaign: the worst one
    /// for each pair and app.
    var castFindings: [Finding] {
        guard let campaign else { return [] }
        let extras = campaign.push.extras.filter { !$0.key.holdsLiquid }
        guard !extras.isEmpty else { return [] }
        let pairs = extras.map { (pair: SentPair($0), place: $0.value.place) }
        var suggestions = Suggestions()
        return apps.flatMap { app in
            let code = PushReads(of: campaign, in: app, besides: externalCategories)
            return pairs.compactMap { $0.pair.finding(in: code, at: $0.place, &suggestions) }
        }
    }
}

extension LintedCampaign {
    /// The findings about code that reads `aps.alert` as a text, although it is an object with the title and the body.
    var alertFindings: [Finding] {
        guard let push = campaign?.push, let place = (push.text("title") ?? push.text("body"))?.place else { return [] }
        return apps.flatMap { app -> [Finding] in
            let content = contentExtension(in: app)
            let services = push.runsService ? app.extensions.filter { $0.kind == .service }.map(\.code) : []
            let reads = ([content?.code, app.code] + services).compactMap(\.self).flatMap(\.reads)
            guard let read = reads.first(where: { $0.path == ["aps"] && $0.key == "alert" && $0.isTextCast }) else {
                return []
            }
            let crashes = read.requirement == .crash && read.condition == .always && content != nil
            return [
                Finding(
                    .alertAsText, at: place, severity: crashes ? .error : nil,
                    related: read.notes("it is read here"))
            ]
        }
    }
}

extension App {
    /// The findings about code in extensions that casts a whole push to a type that no push has.
    var failingCasts: [Finding] {
        extensions.compactMap(\.code).filter { !$0.changesUnknownPairs }.flatMap(\.failingCasts).map {
            Finding(.castOfPush, at: $0)
        }
    }
}

extension SentPair {
    /// The finding about the worst failure of the pair in the code of an app.
    fileprivate func finding(in code: PushReads, at place: SourcePlace, _ suggestions: inout Suggestions) -> Finding? {
        let failures = code.reads.flatMap { placed in
            values(of: placed.read).compactMap { value in
                code.failure(of: placed, for: value).map { (read: placed.read, value: value, cause: $0) }
            }
        }
        if let failure = failures.first(where: { $0.cause.isCertainCrash }) ?? failures.first {
            var near: String?
            if case .rawValue(_, let values) = failure.cause.conversion, case .text(let text?) = failure.value {
                near = suggestions.nearest(to: text, in: values)
            }
            let isJSON = isJSON || !failure.read.path.isEmpty
            let message = failure.cause.message(name(of: failure.read), failure.value, isJSON: isJSON)
            return Finding(
                "\(message)\(didYouMean(near, after: ";"))", at: place,
                severity: failure.cause.isCertainCrash ? .error : nil,
                related: failure.cause.notes)
        }
        return code.reads.lazy.compactMap { kind, read -> Finding? in
            let related = read.notes("it is read here")
            if read.path.isEmpty, read.type == .json, concerns(read), isBrokenJSON {
                return Finding(.notJSON(name(of: read)), at: place, related: related)
            }
            guard kind == .content, read.requirement > .default, !read.isGate, read.alternatives.isEmpty,
                code.meets(read.condition), isMissing(read)
            else { return nil }
            return Finding(
                .missing(name(of: read), isExit: read.requirement == .return), at: place, related: related)
        }.first
    }
}

extension [PushMessage.Extra.Piece] {
    /// The pieces joined to one JSON text; nil if a text among them contains Liquid.
    fileprivate var jsonWithoutLiquid: String? {
        var buffer = ByteBuffer()
        for piece in self {
            switch piece {
            case .json(let json): buffer.append(json)
            case .text(let text):
                if text.holdsLiquid { return nil }
                buffer.appendJSON(text.text)
            }
        }
        return buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension PushMessage.Extra.Value {
    /// The type of a value that is sent as JSON, judged by its first character; nil for text and null, and if Liquid
    /// produces the first character.
    fileprivate var jsonType: ReadType? {
        let text: String
        switch self {
        case .text: return nil
        case .json(let json): text = json.text
        case .composed(let pieces, _):
            guard case .json(let start)? = pieces.first else { return nil }
            text = start
        }
        let source = text.drop(while: \.isWhitespace)
        guard let first = source.first, !source.hasPrefix("{{"), !source.hasPrefix("{%") else { return nil }
        return switch first {
        case "{": .dictionary
        case "[": .array
        case "t", "f": .boolean
        case "-", "0"..."9": .number
        default: nil
        }
    }
}
