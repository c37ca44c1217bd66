// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources
import ScalarTexts

/// What an app's code reads from the pushes of a campaign, and the casts and conversions that fail for a value.
package struct PushReads: Sendable {
    /// The reads, including reads of keys in dictionaries.
    package let reads: [App.PlacedRead]

    /// The category; empty if there is none, and nil if it has Liquid.
    private let category: String?

    /// The keys of the pairs that are sent as text.
    ///
    /// Only these meet a condition that a key is sent, because code that checks for the key reads its value as a text.
    private let texts: Set<String>

    /// Whether pairs reach the code as they are sent: no code changes the values of pairs whose keys are not known.
    private let pairsAreUnchanged: Bool

    package init(of campaign: Campaign, in app: App, besides externalCategories: [String]) {
        let push = campaign.push
        category =
            push.category?.holdsLiquid == true
            ? nil : push.category.map { app.category(meantBy: $0.text, besides: externalCategories) } ?? ""
        let content = category.flatMap { app.contentExtensions(claiming: $0).first }
        reads = app.reads(ofPushesTo: content, runsService: push.runsService, inDictionaries: true)
        texts = Set(push.extras.lazy.filter { !$0.value.isJSON && !$0.key.holdsLiquid }.map(\.key.text))
        let codes = [app.code, content?.code] + app.extensions.filter { $0.kind == .service }.map(\.code)
        pairsAreUnchanged = !codes.contains { $0?.changesUnknownPairs ?? false }
    }

    /// Whether the pushes certainly meet a condition in the code.
    package func meets(_ condition: ReadCondition) -> Bool {
        let isOfCategory = category.map(condition.categories.contains) ?? (condition.categories == .all)
        return pairsAreUnchanged && isOfCategory && !condition.isOpen && condition.keys.isSubset(of: texts)
    }

    /// Whether any cast or conversion may fail.
    var mayFail: Bool { reads.contains { $0.read.path.isEmpty && $0.read.mayFail } }

    /// The reads of a pair that may fail, depending on its value: for a pair sent as text, those with conversions,
    /// which fail for some texts; for JSON, those with casts, which fail for some types.
    func valueReads(of key: String, isJSON: Bool) -> [ValueRead] {
        reads.filter { $0.read.path.isEmpty && $0.read.key == key && $0.read.mayFail }.compactMap { placed in
            let conversions = placed.read.crashes.map(\.conversion).filter { $0.isCast == isJSON }
            guard !conversions.isEmpty || isJSON && placed.read.isTextCast else { return nil }
            return ValueRead(code: self, placed: placed, conversions: conversions)
        }
    }

    /// The cast or conversion of a read that fails for a value; nil if none does.
    package func failure(of placed: App.PlacedRead, for value: SentValue) -> ConversionFailure? {
        let (kind, read) = placed
        // Code often tests a text before converting it, in ways that are not known. Code that changes the values of
        // unknown keys may give a pair a value of a type that no sent push has.
        let crashes = read.crashes.filter {
            value.fails($0.conversion) && ($0.conversion.isCast || meets($0.condition))
                && (pairsAreUnchanged || !$0.conversion.isImpossible)
                && (!$0.isExit || $0.conversion.isCast || kind == .content)
        }
        let cast = read.failingCast(of: value).flatMap { pairsAreUnchanged || !$0.isImpossible ? $0 : nil }
        let certain = kind == .content ? crashes.first { !$0.isExit && meets($0.condition) } : nil
        let first = certain ?? crashes.first { !$0.isExit } ?? crashes.first
        guard let conversion = certain?.conversion ?? cast ?? first?.conversion else { return nil }
        return ConversionFailure(
            conversion: conversion,
            isExit: first?.isExit ?? false,
            isCertainCrash: certain != nil,
            notes: read.notes("it is read here", at: first?.conversion == conversion ? first?.place : nil)
        )
    }
}

/// A read of a pair that fails for some of its values.
struct ValueRead: Sendable {
    let code: PushReads
    let placed: App.PlacedRead
    let conversions: [Conversion]

    /// Whether the bytes of a text alone show that no conversion fails; for most texts they do.
    func holds(_ text: UnsafeBufferPointer<UInt8>) -> Bool { conversions.allSatisfy { $0.holds(text) } }

    /// The cast or conversion that fails for a value; nil if none fails.
    func failure(for value: SentValue) -> ConversionFailure? { code.failure(of: placed, for: value) }
}

extension Conversion {
    /// Whether the bytes of a text alone show that the conversion does not fail for it.
    fileprivate func holds(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .cast, .impossibleCast: false
        case .rawValue(_, let values): values.contains { $0.utf8.elementsEqual(text) }
        case .date:
            text.contains(UInt8(ascii: "T")) && !text.contains(UInt8(ascii: ".")) && Time.isISO8601(text)
        case .initializer(let name):
            switch name {
            // 18 digits always fit in 64 bits.
            case "Int", "Int64", "UInt", "UInt64", "Double", "Float", "TimeInterval":
                !text.isEmpty && text.count <= 18 && text.allSatisfy(\.isDigit)
            case "URL": !text.isEmpty
            default: false
            }
        }
    }
}

/// A cast or conversion in code that fails for a value.
package struct ConversionFailure: Sendable {
    package let conversion: Conversion

    /// Whether the code then leaves its function instead of crashing.
    package let isExit: Bool

    /// Whether a content extension certainly crashes.
    package let isCertainCrash: Bool

    /// The notes of a finding about the failure.
    package let notes: [Diagnostic.Related]

    /// The message that describes the failure.
    ///
    /// - Parameters:
    ///   - name: the key, with the keys of the dictionaries around it.
    ///   - value: the value.
    ///   - isJSON: whether the value is sent as JSON.
    /// - Returns: the message.
    package func message(_ name: String, _ value: SentValue, isJSON: Bool) -> String {
        let sent = isJSON ? "JSON, as \(value.type?.phrase ?? "a value")" : "text"
        switch conversion {
        case .impossibleCast(let type):
            return "'\(name)' is sent as \(sent), and code casts it to '\(type)', which no value in a push is"
        case .cast(let type):
            let fails = isJSON ? "which fails" : "which fails for text"
            return "'\(name)' is sent as \(sent), and code casts it to \(type.phrase), \(fails)"
        case .initializer, .date, .rawValue:
            var text = ""
            if case .text(let known?) = value { text = known }
            let crash = isCertainCrash ? "code crashes then" : "code may crash then"
            let effect = isExit ? "code shows nothing then" : crash
            return "'\(name)' is sent as '\(text.shortened)', for which \(conversion.shown) is nil, and \(effect)"
        }
    }
}

extension TargetCode.Read {
    fileprivate var mayFail: Bool { !crashes.isEmpty || isTextCast || isCast && ReadType.notText.contains(type) }

    /// The cast that fails for a value, whatever the code does afterwards; nil if no cast fails.
    fileprivate func failingCast(of value: SentValue) -> Conversion? {
        if let impossibleCast { return .impossibleCast(impossibleCast) }
        return switch value {
        case .unknown: nil
        case .text: isCast && ReadType.notText.contains(type) ? .cast(type) : nil
        case .other: isTextCast ? .cast(.string) : nil
        }
    }
}
