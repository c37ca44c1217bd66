// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import POSIXFiles

/// The build settings of a target in one configuration, when it is built for the devices of one platform.
///
/// They have layers, from the strongest: the target's own settings, those of its `.xcconfig`, those of the project, and
/// Xcode's defaults. A layer may assign a setting several times; the last assignment whose conditions hold counts.
/// `$(inherited)` is the value of the assignments before it and of the layers below.
///
/// Source: swift-build, `MacroValueAssignmentTable` and `MacroConfigFileParser`.
package struct BuildSettings: Sendable {
    /// One layer of settings.
    package struct Layer: Sendable {
        /// The assignments to each setting, by its name, in the order in which they were added.
        private var assignments: [String: [Assignment]] = [:]

        /// The number of assignments in the layer.
        private var count = 0

        /// The number of assignments before the last file that could not be read; nil if all files were read.
        ///
        /// The unread file may replace these assignments, and those of weaker layers.
        private(set) var gap: Int?

        /// Whether an optional file (`#include?`) is missing, which may contain more assignments on other machines.
        private(set) var lacksOptionalFile = false

        /// Creates a layer without settings.
        init() {}

        /// Creates a layer from settings by their names.
        ///
        /// A name may have conditions, as in `NAME[sdk=iphoneos*]`.
        package static func table(_ settings: [String: String]) -> Layer {
            var layer = Layer()
            // In this order, a setting without conditions comes before the same setting with conditions, which then
            // replaces it.
            for (key, value) in settings.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                guard let name = SettingCondition.read(key) else { continue }
                layer.assign(value, to: name.name, if: name.conditions)
            }
            return layer
        }

        /// The settings that Xcode defines for a target, such as its name.
        static func ofTarget(_ name: String, _ configuration: String, project: String, folder: String) -> Layer {
            .table([
                "PROJECT_NAME": project, "PROJECT": project, "CONFIGURATION": configuration, "TARGET_NAME": name,
                "TARGETNAME": name, "SRCROOT": folder, "SOURCE_ROOT": folder, "PROJECT_DIR": folder,
            ])
        }

        /// Xcode's defaults for settings on which property lists depend.
        static let ofXcode = Layer.table([
            "PRODUCT_NAME": "$(TARGET_NAME)", "EXECUTABLE_NAME": "$(PRODUCT_NAME)",
            "PRODUCT_MODULE_NAME": "$(PRODUCT_NAME:c99extidentifier)",
            // Entitlements refer to this setting; Info.plists do not.
            "CFBundleIdentifier": "$(PRODUCT_BUNDLE_IDENTIFIER)",
        ])

        /// A layer in which every setting may be assigned, with unknown values.
        package static var unknown: Layer {
            var layer = Layer()
            layer.addGap()
            return layer
        }

        /// Adds an assignment after all others.
        ///
        /// If the setting already has the maximum number of assignments, these are removed, and count as unread.
        mutating func assign(_ value: String, to name: String, if conditions: [SettingCondition]) {
            if self[name].count == Self.assignmentLimit {
                assignments[name] = []
                addGap()
            }
            assignments[name, default: []].append(Assignment(value: value, conditions: conditions, order: count))
            count += 1
        }

        private static let assignmentLimit = 1_000

        /// Notes that a file with the next assignments was not read.
        mutating func addGap() { gap = count }

        /// Notes that an optional file is missing.
        mutating func noteMissingFile() { lacksOptionalFile = true }

        fileprivate subscript(name: String) -> [Assignment] { assignments[name] ?? [] }

        /// Whether an assignment to a setting has conditions.
        func isConditional(_ name: String) -> Bool { self[name].contains { !$0.conditions.isEmpty } }
    }

    fileprivate struct Assignment: Sendable {
        var value: String
        var conditions: [SettingCondition]
        var order: Int
    }

    /// A place in the layers at which a search for assignments to a setting begins.
    private struct Position {
        var layer = 0
        /// How many of the layer's last assignments to the setting are skipped.
        var skipped = 0
    }

    /// What the layers say about the value of a setting.
    private enum Search {
        case found(String, Position)
        /// No layer assigns the setting.
        case unset
        /// The value is not known: a file that is not read, or a condition that cannot be decided, may assign the
        /// setting.
        case unknown
    }

    /// Limits for replacing the references in one value, which could otherwise go on without end.
    private enum Limit {
        static let depth = 16
        static let references = 256
        /// The maximum number of bytes of all texts that are read and written for one value: 16 KiB.
        static let bytes = 1 << 14
    }

    private let layers: [Layer]

    /// The configuration and the SDK that conditions are compared with.
    private let context: SettingCondition.Context

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - layers: the layers, the strongest first.
    ///   - configuration: the name of the configuration; nil if it is not known.
    package init(_ layers: [Layer], configuration: String? = nil) {
        self.layers = layers
        context = SettingCondition.Context(configuration: configuration)
    }

    private init(_ layers: [Layer], _ context: SettingCondition.Context) {
        self.layers = layers
        self.context = context
    }

    /// The same settings, with conditions evaluated for another SDK, such as `macosx`.
    func with(sdk: String) -> BuildSettings {
        BuildSettings(layers, SettingCondition.Context(configuration: context.configuration, sdk: sdk))
    }

    /// The same settings, with conditions evaluated for the SDK of the platform that they build for.
    var withOwnSDK: BuildSettings { Platform(self).map { with(sdk: $0.sdk) } ?? self }

    /// Whether the value of a setting may depend on the SDK, the architecture or the configuration.
    func isConditional(_ name: String) -> Bool { layers.contains { $0.isConditional(name) } }

    /// The value of a setting, in which references to settings are replaced; nil if the setting is not set or not
    /// known.
    ///
    /// - Parameters:
    ///   - name: the setting.
    ///   - isPath: whether the value is a path. In a path, a reference to an undefined setting is kept, because the
    ///     path without it is unlikely to be the one that was meant.
    /// - Returns: the value.
    package func value(of name: String, isPath: Bool = false) -> String? {
        guard case .found(let value, let position) = search(name) else { return nil }
        var expansion = Expansion(keepsUndefined: isPath)
        return expand(value, in: name, position, depth: 0, &expansion)
    }

    /// Whether the value of a setting is known, or it is known that nothing assigns the setting.
    func isKnown(_ name: String) -> Bool {
        if case .unknown = search(name) { false } else { true }
    }

    /// A text in which references to settings are replaced by their values.
    ///
    /// References that cannot be replaced stay as written, so that `App.holdsBuildSetting(_:)` finds them.
    package func expand(_ text: String) -> String {
        var expansion = Expansion()
        return expand(text, in: nil, Position(), depth: 0, &expansion)
    }

    /// The first reference in a text to a setting that nothing assigns, which the build therefore replaces by an empty
    /// text.
    package func unsetReference(in text: String) -> String? {
        guard App.holdsBuildSetting(text) else { return nil }
        let bytes = Array(text.utf8)
        for reference in Reference.outermost(in: bytes) where reference.isBracketed {
            let inner = expand(String(decoding: bytes[reference.inner], as: UTF8.self))
            let whole = String(decoding: bytes[reference.range], as: UTF8.self)
            let name = inner.prefix { $0 != ":" }
            guard expand(whole).isEmpty, case .unset = search(String(name)) else { continue }
            return whole
        }
        return nil
    }

    /// Whether the build generates keys of the Info.plist from build settings.
    ///
    /// Source: swift-build, `InfoPlistProcessorTaskAction`: a generated text or number replaces the one in the file.
    package var generatesInfoPlist: Bool { value(of: "GENERATE_INFOPLIST_FILE") == "YES" }

    /// Whether all files with settings were read, so that a setting in none of them is not set.
    var hasAllFiles: Bool { layers.allSatisfy { $0.gap == nil } }

    /// Whether an optional file is missing here, so that the build may have more assignments on other machines.
    package var mayHaveMore: Bool { layers.contains(where: \.lacksOptionalFile) }

    /// Whether the value of a setting may come from Xcode, the signing identity or the machine.
    ///
    /// Source: Xcode, Build settings reference. Names that merely resemble Xcode's names count too, so their values
    /// stay unknown.
    private static func isOfXcode(_ name: String) -> Bool {
        let starts = [
            "XCODE", "BUILD", "BUILT", "PLATFORM", "PROJECT", "SDK", "TARGET", "TEMP", "DERIVED", "CONFIGURATION",
            "DEVELOP", "EXECUTABLE", "PRODUCT", "INFOPLIST", "WRAPPER", "FULL_PRODUCT", "CONTENTS", "ARCHS", "CURRENT",
            "MARKETING", "EFFECTIVE", "SRCROOT", "SOURCE", "SYMROOT", "OBJROOT", "DSTROOT", "LOCAL_", "SYSTEM_", "USER",
            "HOME", "ACTION", "SWIFT", "VERSION", "MAC_OS", "MACOSX", "IPHONEOS", "TVOS", "WATCHOS", "XROS", "ENABLE",
            "CODE_SIGN", "AppIdentifierPrefix", "TeamIdentifierPrefix", "CFBundleIdentifier", "PODS", "CI",
        ]
        return name.isEmpty || starts.contains(where: name.hasPrefix)
            || ["_DIR", "_PATH", "_ROOT", "_FOLDER"].contains(where: name.hasSuffix)
    }

    private struct Expansion {
        var keepsUndefined = false
        var references = 0
        var bytes = 0
    }

    /// Searches for the last assignment to a setting whose conditions hold, from the strongest layer on.
    private func search(_ name: String, from start: Position = Position()) -> Search {
        // The values that the setting may have, because the conditions of their assignments cannot be decided.
        var possible: [String] = []
        for index in layers.indices.dropFirst(start.layer) {
            let assignments = layers[index][name]
            let skipped = index == start.layer ? start.skipped : 0
            for (number, assignment) in assignments.reversed().enumerated().dropFirst(skipped) {
                if let gap = layers[index].gap, assignment.order < gap { return .unknown }
                switch SettingCondition.hold(assignment.conditions, in: context) {
                case true?:
                    guard possible.allSatisfy({ $0 == assignment.value }) else { return .unknown }
                    return .found(assignment.value, Position(layer: index, skipped: number + 1))
                case false?: break
                case nil: possible.append(assignment.value)
                }
            }
            if layers[index].gap != nil { return .unknown }
        }
        return possible.isEmpty ? .unset : .unknown
    }

    private func expand(
        _ text: String,
        in name: String?,
        _ position: Position,
        depth: Int,
        _ expansion: inout Expansion
    ) -> String {
        expansion.bytes += text.utf8.count
        guard depth < Limit.depth, expansion.bytes < Limit.bytes, App.holdsBuildSetting(text) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var written = 0
        for reference in Reference.outermost(in: bytes) {
            result += bytes[written..<reference.range.lowerBound]
            written = reference.range.upperBound
            expansion.references += 1
            guard expansion.references < Limit.references, expansion.bytes < Limit.bytes else {
                result += bytes[reference.range]
                continue
            }
            let inner = String(decoding: bytes[reference.inner], as: UTF8.self)
            // Without brackets, `$` and a name that is not set are more often plain text than a reference.
            let mayBeSet = reference.isBracketed || isFound(inner)
            if mayBeSet, let value = value(ofReference: inner, in: name, position, depth: depth, &expansion) {
                expansion.bytes += value.utf8.count
                result += value.utf8
            } else {
                result += bytes[reference.range]
            }
        }
        return String(decoding: result + bytes[written...], as: UTF8.self)
    }

    /// The value of a reference, given the text in its brackets: a name, and operators after colons.
    private func value(
        ofReference text: String,
        in name: String?,
        _ position: Position,
        depth: Int,
        _ expansion: inout Expansion
    ) -> String? {
        let inner = expand(text, in: name, position, depth: depth + 1, &expansion)
        let parts = inner.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let value = replacement(of: parts[0], in: name, position, depth: depth, &expansion)
        return Self.applying(parts.dropFirst(), to: value)
    }

    private func replacement(
        of wanted: String,
        in name: String?,
        _ position: Position,
        depth: Int,
        _ expansion: inout Expansion
    ) -> String? {
        let inherits = wanted == "inherited" || wanted == name
        switch inherits ? name.map({ search($0, from: position) }) ?? .unset : search(wanted) {
        case .found(let value, let position):
            guard value.utf8.count < Limit.bytes else { return nil }
            return expand(value, in: inherits ? name : wanted, position, depth: depth + 1, &expansion)
        case .unset:
            // Xcode replaces a reference to an undefined setting by an empty text. But Flutter defines its settings in
            // a file that repositories leave out.
            let mayBeSetByTool = Self.isOfXcode(wanted) || mayHaveMore && wanted.hasPrefix("FLUTTER")
            let isEmpty = inherits && name != nil || !expansion.keepsUndefined && !mayBeSetByTool
            return isEmpty ? "" : nil
        case .unknown: return nil
        }
    }

    private func isFound(_ name: String) -> Bool {
        if case .found = search(name) { true } else { false }
    }

    /// Applies the operators of a reference, such as `rfc1034identifier`, to a value; nil for an unknown operator.
    private static func applying(_ operators: some Sequence<String>, to value: String?) -> String? {
        var value = value
        for name in operators {
            if name.hasPrefix("default=") {
                if value?.isEmpty ?? true { value = String(name.dropFirst("default=".count)) }
                continue
            }
            guard let text = value else { continue }
            switch name {
            case "rfc1034identifier":
                value = text.replacingScalars("-") { isAlphanumeric($0) || $0 == "-" || $0 == "." }
            case "c99extidentifier", "identifier", "c99identifier":
                value = text.replacingScalars("_") { isAlphanumeric($0) || $0 == "_" }
            case "lower": value = text.lowercased()
            case "upper": value = text.uppercased()
            case "file": value = text.fileName
            case "dir": value = text.folder.isEmpty ? "./" : text.folder + "/"
            case "base":
                let file = text.fileName
                value = file.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(file[..<$0]) } ?? file
            case "standardizepath", "quote": break
            default: return nil
            }
        }
        return value
    }

    private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
    }
}

/// A reference to a setting: `$(NAME)`, `${NAME}` or `$NAME`.
private struct Reference {
    var range: Range<Int>
    var inner: Range<Int>

    var isBracketed: Bool { inner.upperBound < range.upperBound }

    /// The references in a text that are not inside other references.
    static func outermost(in text: [UInt8]) -> [Reference] {
        let ends = closingBrackets(of: text)
        var references: [Reference] = []
        var position = 0
        while let dollar = text[position...].firstIndex(of: UInt8(ascii: "$")) {
            position = dollar + 1
            if let end = ends[position] {
                references.append(Reference(range: dollar..<(end + 1), inner: (position + 1)..<end))
                position = end + 1
            } else if position < text.count, text[position].isWordStart {
                let name = text[position...].prefix(while: \.isWordByte)
                references.append(Reference(range: dollar..<name.endIndex, inner: name.startIndex..<name.endIndex))
                position = name.endIndex
            } else if position < text.count, text[position] == UInt8(ascii: "$") {
                // Two dollar signs mean one dollar sign, and do not begin a reference.
                position += 1
            }
        }
        return references
    }

    /// The offset of the closing bracket for each opening bracket; the keys are the offsets of the opening brackets.
    ///
    /// Each kind of bracket is matched separately.
    private static func closingBrackets(of text: [UInt8]) -> [Int: Int] {
        var ends: [Int: Int] = [:]
        for (open, close) in [(UInt8(ascii: "("), UInt8(ascii: ")")), (UInt8(ascii: "{"), UInt8(ascii: "}"))] {
            var unclosed: [Int] = []
            for (offset, byte) in text.enumerated() {
                if byte == open {
                    unclosed.append(offset)
                } else if byte == close, let start = unclosed.popLast() {
                    ends[start] = offset
                }
            }
        }
        return ends
    }
}

extension String {
    /// A copy of the text in which each scalar that `isKept` does not accept is replaced by `replacement`.
    fileprivate func replacingScalars(
        _ replacement: Unicode.Scalar,
        unless isKept: (Unicode.Scalar) -> Bool
    ) -> String {
        String(String.UnicodeScalarView(unicodeScalars.map { isKept($0) ? $0 : replacement }))
    }
}
