// SPDX-License-Identifier: MIT

package import DiagnosticSources
import POSIXFiles

/// A source file in Swift or Objective-C after reading.
package struct ParsedCode: Sendable {
    /// The extensions of the file names that are read.
    package static let extensions: Set<String> = ["swift", "m", "mm", "h"]

    /// Whether this build can read Swift, which needs the package trait `SwiftSources`.
    package static var readsSwift: Bool {
        #if SwiftSources
            true
        #else
            false
        #endif
    }

    /// The most bytes that a file may have.
    package static let byteLimit = 4 << 20

    /// The file.
    package let file: SourceFile

    private let parsed = Locked<CodeUnit?>(nil)

    /// What the file has, parsed when it is first needed.
    var unit: CodeUnit {
        parsed.withLock { parsed in
            if let parsed { return parsed }
            let unit = Self.parse(file)
            parsed = unit
            return unit
        }
    }

    /// Whether the file is about pushes by its words.
    ///
    /// Other files are read only where such a file needs them.
    package let mayConcernPushes: Bool

    /// Parts of names; code that gives access to a push, a category, an app group or an event contains one of them.
    private static let marks = [
        "userInfo", "UNNotification", "emoteNotification", "uiteName", "ecurityApplicationGroup", "ppGroup:",
        "ogCustomEvent",
    ]

    /// Reads a file.
    package init(_ file: SourceFile) {
        self.file = file
        mayConcernPushes = Self.marks.contains { file.utf8[...].firstRange(ofBytes: $0.utf8) != nil }
    }

    private static func parse(_ file: SourceFile) -> CodeUnit {
        guard file.utf8.count <= byteLimit else {
            return CodeUnit(unread: CodeGap(offset: 0, why: "the file has more than \(byteLimit) bytes"))
        }
        // Code in UTF-16 without a byte order mark is valid UTF-8 with zeros.
        let invalid = file.firstInvalidOffset ?? file.utf8.firstIndex(of: 0)
        guard file.path.hasSuffix(".swift") else {
            return LargeStack.run { ObjectiveCUnitReader.unit(of: file.utf8, isValid: invalid == nil) }
        }
        #if SwiftSources
            return LargeStack.run { SwiftUnitReader.unit(of: file.utf8, firstInvalid: invalid) }
        #else
            return CodeUnit(unread: CodeGap(offset: 0, why: "this build of payloadgen does not read Swift"))
        #endif
    }
}

extension ParsedCode {
    /// The names of the types that some files declare, without their outer types; in Objective-C the names of classes.
    ///
    /// - Parameter files: the files.
    /// - Returns: the names; nil where a part of a file is not read, or a macro may declare types.
    package static func typeNames(in files: [ParsedCode]) -> Set<String>? {
        guard files.allSatisfy({ $0.unit.unread == nil && !$0.unit.mayDeclareMore }) else { return nil }
        var names: Set<String> = []
        func add(_ type: CodeType) {
            for name in [type.name, type.objectiveCName ?? ""] {
                if let last = name.split(separator: ".").last { names.insert(String(last)) }
            }
            names.formUnion(type.aliases.keys)
            for inner in type.nested { add(inner) }
        }
        for file in files {
            names.formUnion(file.unit.aliases.keys)
            for type in file.unit.types { add(type) }
        }
        return names
    }
}

/// The keys of pushes that the code of one target reads, and the categories that it registers.
package struct TargetCode: Sendable {
    /// A read of a key-value pair.
    package struct Read: Sendable {
        /// The key.
        package var key: String

        /// The keys on the path to it; `[]` means any element, `KEY{json}` the text of a key that is parsed as JSON.
        package var path: [String]

        /// The type that the value must have.
        package var type: ReadType

        /// The type of the value that a campaign sends: ``type``, unless it is a date in another form than ISO 8601.
        package var sentType: ReadType

        /// What the code does if the key is missing.
        package var requirement: ReadRequirement

        /// The place that determines ``requirement``.
        package var place: SourcePlace

        /// The other places that read the key.
        package var otherPlaces: [SourcePlace]

        /// Keys in the same dictionary of which at least one is needed.
        package var alternatives: [String]

        /// Whether the value is cast to ``type``, in which case a text does not work instead.
        package var isCast: Bool

        /// Whether the value is cast to a text and to no other type, in which case a value of another type does not
        /// work.
        package var isTextCast: Bool

        /// The type that no value in a push has, to which code casts the value in each use; nil where there is none.
        package var impossibleCast: String?

        /// The casts and conversions of the value at which code crashes if they fail.
        package var crashes: [Crash]

        /// Whether a missing key skips only one feature, as when a function called by the entry point returns.
        package var isGate: Bool

        /// The pushes that ``requirement`` is about.
        package var condition: ReadCondition

        /// Whether Apple or Braze sends the key, so that a campaign need not.
        package var isSystem: Bool

        /// Describes a read.
        package init(
            key: String,
            path: [String] = [],
            type: ReadType,
            sentType: ReadType? = nil,
            requirement: ReadRequirement,
            place: SourcePlace,
            otherPlaces: [SourcePlace] = [],
            alternatives: [String] = [],
            isCast: Bool = false,
            isTextCast: Bool = false,
            impossibleCast: String? = nil,
            crashes: [Crash] = [],
            isGate: Bool = false,
            condition: ReadCondition = .always
        ) {
            self.key = key
            self.path = path
            self.type = type
            self.sentType = sentType ?? type
            self.requirement = requirement
            self.place = place
            self.otherPlaces = otherPlaces
            self.alternatives = alternatives
            self.isCast = isCast
            self.isTextCast = isTextCast
            self.impossibleCast = impossibleCast
            self.crashes = crashes
            self.isGate = isGate
            self.condition = condition
            isSystem = TargetCode.isSystem(path, key)
        }

        /// The key of the pair that is read, or that holds what is read.
        package var pair: String {
            let first = path.first ?? key
            let mark = TargetCode.textMark
            return !path.isEmpty && first.hasSuffix(mark) ? String(first.dropLast(mark.count)) : first
        }
    }

    /// A cast or conversion of a value at which code crashes if it fails.
    package struct Crash: Sendable, Hashable {
        package var conversion: Conversion

        /// Whether the code only leaves the function to which the system passes the push.
        package var isExit: Bool

        /// The pushes for which the code certainly reaches it, with pairs that are texts; open where that is not known.
        package var condition: ReadCondition
    }

    /// A gap in the analysis: something that the source does not reveal.
    package struct Gap: Sendable {
        package var place: SourcePlace
        package var why: String

        /// Describes a gap.
        package init(place: SourcePlace, why: String) {
            self.place = place
            self.why = why
        }
    }

    /// A key that the code writes into a push or into a notification that it creates.
    package struct Write: Sendable {
        package var key: String
        package var place: SourcePlace

        /// Describes a write.
        package init(key: String, place: SourcePlace) {
            self.key = key
            self.place = place
        }
    }

    /// An action of a category.
    package struct Action: Sendable, Hashable {
        package var identifier: String
        package var isTextInput: Bool

        /// Describes an action.
        package init(identifier: String, isTextInput: Bool) {
            self.identifier = identifier
            self.isTextInput = isTextInput
        }
    }

    /// A notification category that the code registers.
    package struct Category: Sendable {
        package var identifier: String
        package var actions: [Action]

        /// Whether ``actions`` are all actions of the category; others may be known only while the app runs.
        package var isWhole: Bool

        package var place: SourcePlace

        /// Describes a category.
        package init(identifier: String, actions: [Action], isWhole: Bool = true, place: SourcePlace) {
            self.identifier = identifier
            self.actions = actions
            self.isWhole = isWhole
            self.place = place
        }
    }

    /// A text and its place.
    package struct Name: Sendable {
        package var text: String
        package var place: SourcePlace

        /// Describes a text.
        package init(text: String, place: SourcePlace) {
            self.text = text
            self.place = place
        }
    }

    /// The end of a part of a path for the text of a key that is parsed as JSON.
    static let textMark = "{json}"

    package var reads: [Read] = []
    package var unknownReads: [Gap] = []
    /// Whether the code is too large to be analysed completely, so that it may read more.
    package var isTooLarge = false
    /// The conflicts that merges have left in the files, the first one of each.
    package var mergeConflicts: [SourcePlace] = []
    /// The casts of the dictionary of a push to one of texts or of other values of one type, which fail for each push.
    package var failingCasts: [SourcePlace] = []
    /// The keys that the code writes into a push that it has received.
    package var writes: [Write] = []
    /// The keys that it gives to notifications of its own, which silences nothing.
    package var localWrites: [Write] = []
    /// Whether the code also changes pairs of a push whose keys are not known.
    package var changesUnknownPairs = false
    package var categories: [Category] = []
    /// Whether the code also registers categories whose identifiers are known only while the app runs.
    package var registersUnknownCategories = false
    /// Identifiers of actions that the code registers outside known categories, or compares with the chosen action.
    package var actions: [Name] = []
    /// The actions that the code registers without the option to open the app.
    package var backgroundActions: [Name] = []
    /// The categories with which the code compares that of a push.
    package var comparedCategories: [Name] = []
    /// The categories that the code gives to notifications.
    package var writtenCategories: [Name] = []
    package var appGroups: [Name] = []
    /// The events that the code logs.
    package var events: [Name] = []
    /// The Objective-C names of Swift classes, and the names of all Objective-C classes.
    package var objectiveCNames: Set<String> = []
    /// The names of the Swift classes, also those that they have in Objective-C.
    package var swiftClassNames: Set<String> = []
    /// The names of the types that the code declares, without their outer types; nil where some of it is not read.
    package var typeNames: Set<String>?
    /// Those of the types that the files of the target itself declare.
    package var ownTypeNames: Set<String>?
    /// The names of the classes and protocols that types of an extension's code inherit and that it does not declare.
    package var inheritedNames: Set<String> = []
    /// What the classes of an extension's code are made for, by their names; nothing of those with superclasses or
    /// protocols that are not read.
    package var classKinds: [String: ClassKind] = [:]
    /// Whether ``classKinds`` has all classes.
    package var hasAllClassKinds = false
    /// Whether the code of an extension imports modules whose code is not read.
    package var importsUnreadModules = false
    /// Whether a class of the code has the method that the entry point of the extension must have.
    package var declaresEntryPoint = false
    /// Whether the code uses the Push Stories of Braze's Objective-C SDK, which get their app group from code.
    package var usesOldPushStories = false
    /// Whether the code sets `preferredContentSize`.
    package var setsContentSize = false
    /// Whether the code registers for remote notifications.
    package var registersForPushes = false
    /// A control or gesture in the view of a content extension; nil where there is none.
    package var touched: Name?

    /// Creates the result for a target without code.
    package init() {}

    /// The method of an extension to which the system passes a notification.
    package enum EntryPoint: Sendable, Hashable {
        /// That of an extension that draws notifications.
        case content
        /// That of an extension that changes notifications before they are shown.
        case service
    }

    /// The kind of extension that a class is made for.
    package enum ClassKind: Sendable {
        case content, service
        case neither
    }

    /// Follows the payload of pushes through the files of a target.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - entryPoint: the method that some class of the target must have; nil where it is not an extension for pushes.
    ///   - modules: the names of the modules whose code is among the files.
    ///   - own: the paths of the files of the target itself; nil for all, where there are none of libraries.
    package init(
        _ files: [ParsedCode],
        entryPoint: EntryPoint? = nil,
        modules: Set<String> = [],
        own: Set<String>? = nil
    ) {
        self = LargeStack.run { TargetCode(following: files, entryPoint, modules, own) }
    }

    private init(
        following files: [ParsedCode],
        _ entryPoint: EntryPoint?,
        _ modules: Set<String>,
        _ own: Set<String>?
    ) {
        let headers = Set(files.map { $0.file.path.fileNameWithoutExtension + ".h" })
        // The code of an extension is all about pushes, but not that of the libraries which it shares with the app.
        let first = files.indices.filter { number in
            let path = files[number].file.path
            let isOfExtension = entryPoint != nil && own?.contains(path) ?? true
            let isUnread = !ParsedCode.readsSwift && path.hasSuffix(".swift")
            return isOfExtension || files[number].mayConcernPushes || isUnread
        }
        var code = CodeFiles(files)
        code.parse(Set(first))
        code.parse(code.files(namedBy: Set(first)))
        var reader: PairReader
        var added: Set<Int>
        repeat {
            reader = PairReader(code.units, modules: modules.union(headers))
            reader.run()
            added = code.files(namedBy: reader.filesOfPushes)
            code.parse(added)
        } while !added.isEmpty
        let units = code.units
        if let entryPoint {
            declaresEntryPoint = reader.names.declares(entryPoint)
            if !declaresEntryPoint { reader.noteForeignSuperclasses() }
            inheritedNames = reader.names.undeclaredInheritedNames
            importsUnreadModules = reader.found.importsOthers
        }
        (classKinds, hasAllClassKinds) = reader.names.classKinds
        let places = CodePlaces(files.map(\.file))
        reads = Self.reads(reader.facts, places)
        collectGaps(reader, units, places)
        collectNames(reader.found, places)
        objectiveCNames = Set(units.flatMap(\.types).flatMap(\.withNested).compactMap(\.objectiveCName))
        usesOldPushStories = units.contains { $0.mentions.contains("ABKStoriesViewDataSource") }
        setsContentSize = units.contains { $0.mentions.contains("preferredContentSize") }
        registersForPushes = units.contains { $0.mentions.contains("registerForRemoteNotifications") }
        let swiftClasses = units.filter { !$0.isObjectiveC }.flatMap(\.types).filter {
            $0.isClass && $0.kind == .nominal
        }
        swiftClassNames = Set(swiftClasses.flatMap { [$0.name, $0.objectiveCName].compactMap(\.self) })
        touched = Self.touched(units, files, places)
    }

    /// What takes touches: controls and gestures of UIKit, and gestures of SwiftUI.
    private static let touchNames: Set<String> = [
        "UIButton", "UITextField", "UISwitch", "UISlider", "UIStepper", "UISegmentedControl", "UISearchBar",
        "UIControl",
        "UITapGestureRecognizer", "UISwipeGestureRecognizer", "UIPanGestureRecognizer", "UIPinchGestureRecognizer",
        "UILongPressGestureRecognizer", "UIRotationGestureRecognizer", "touchesBegan", "onTapGesture",
        "onLongPressGesture",
    ]

    /// Names of SwiftUI that other code may have for something else.
    private static let controlsOfSwiftUI: Set<String> = ["Button", "TextField", "Toggle", "Slider"]

    /// The first control or gesture in the view controllers of content extensions, and in the types that these name.
    private static func touched(_ units: [CodeUnit], _ files: [ParsedCode], _ places: CodePlaces) -> Name? {
        let mark = "UNNotificationContentExtension".utf8
        let isEntry = units.map { files[$0.file].file.utf8[...].firstRange(ofBytes: mark) != nil }
        let named = zip(units, isEntry).reduce(into: Set<String>()) { if $1.1 { $0.formUnion($1.0.mentions) } }
        for (unit, isEntry) in zip(units, isEntry) {
            let isNamed = unit.types.contains { $0.kind == .nominal && named.contains($0.name) }
            let names = unit.imports.contains("SwiftUI") ? touchNames.union(controlsOfSwiftUI) : touchNames
            guard isEntry || isNamed, let name = unit.mentions.intersection(names).min(),
                let offset = files[unit.file].file.utf8[...].firstRange(ofBytes: name.utf8)?.lowerBound
            else { continue }
            return Name(text: name, place: places.place(CodePlace(file: unit.file, offset: offset)))
        }
        return nil
    }

    private mutating func collectGaps(_ reader: PairReader, _ units: [CodeUnit], _ places: CodePlaces) {
        unknownReads = reader.gaps.sorted {
            ($0.place.file, $0.place.offset, $0.why) < ($1.place.file, $1.place.offset, $1.why)
        }.map { Gap(place: places.place($0.place), why: $0.why) }
        var saysUnreadSwift = false
        for unit in units {
            guard let gap = unit.unread else { continue }
            let place = places.place(CodePlace(file: unit.file, offset: gap.offset))
            if !ParsedCode.readsSwift, place.file.path.hasSuffix(".swift") {
                // Reported once, as the reason is the same for all files.
                if saysUnreadSwift { continue }
                saysUnreadSwift = true
            }
            unknownReads.append(Gap(place: place, why: gap.why))
        }
        isTooLarge = reader.isExhausted
    }

    private mutating func collectNames(_ found: OtherFacts, _ places: CodePlaces) {
        func named(_ found: [String: CodePlace]) -> [Name] {
            found.sorted { $0.key < $1.key }.map { Name(text: $0.key, place: places.place($0.value)) }
        }
        var inCategories: Set<String> = []
        for (identifier, entry) in found.categories.sorted(by: { $0.key < $1.key }) {
            let actions = entry.actions.sorted { $0.key < $1.key }.map {
                Action(identifier: $0.key, isTextInput: $0.value)
            }
            inCategories.formUnion(entry.actions.keys)
            categories.append(
                Category(
                    identifier: identifier, actions: actions, isWhole: entry.isWhole, place: places.place(entry.place))
            )
        }
        registersUnknownCategories = found.registersUnknownCategories
        var names: [String: CodePlace] = found.comparedActions
        for (identifier, entry) in found.actions where !inCategories.contains(identifier) && names[identifier] == nil {
            names[identifier] = entry.place
        }
        actions = named(names)
        appGroups = named(found.groups)
        events = named(found.events)
        backgroundActions = named(found.backgroundActions.filter { !found.foregroundActions.contains($0.key) })
        comparedCategories = named(found.comparedCategories)
        writtenCategories = named(found.writtenCategories)
        writes = named(found.writes).map { Write(key: $0.text, place: $0.place) }
        localWrites = named(found.localWrites).map { Write(key: $0.text, place: $0.place) }
        changesUnknownPairs = found.changesUnknownPairs
        failingCasts = found.failingCasts.sorted(by: <).map(places.place)
    }

    /// The keys that Apple defines in `aps` and in its `alert`.
    private static let appleKeys: Set<String> = [
        "alert", "badge", "sound", "thread-id", "category", "content-available", "mutable-content", "target-content-id",
        "interruption-level", "relevance-score", "filter-criteria", "stale-date", "content-state", "timestamp", "event",
        "dismissal-date", "attributes-type", "attributes", "url-args",
    ]

    /// Whether Apple or Braze puts a key into pushes.
    static func isSystem(_ path: [String], _ key: String) -> Bool {
        guard let first = path.first else { return key == "aps" || key == "ab" || key.hasPrefix("ab_") }
        if first == "ab" { return true }
        guard first == "aps" else { return false }
        return path.count > 1 || appleKeys.contains(key)
    }
}

extension String {
    /// The name of a file without its extension.
    fileprivate var fileNameWithoutExtension: String {
        let name = split(separator: "/").last ?? ""
        return String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
    }
}

/// Converts offsets in files to places.
struct CodePlaces {
    let files: [SourceFile]

    init(_ files: [SourceFile]) { self.files = files }

    func place(_ place: CodePlace) -> SourcePlace {
        let file = files[place.file]
        let start = file.storedOffset(ofUTF8: place.offset)
        var end = place.offset
        // Extends the place to the end of the word or of the bracket that begins there.
        while end < file.utf8.count, end - place.offset < 200, Self.isWord(file.utf8[end]) { end += 1 }
        if end == place.offset, end < file.utf8.count, file.utf8[end] == UInt8(ascii: "[") {
            let line = file.utf8[end...].prefix(200).prefix { $0 != UInt8(ascii: "\n") }
            if let close = line.firstIndex(of: UInt8(ascii: "]")) { end = close + 1 }
        }
        let stored = file.storedOffset(ofUTF8: Swift.max(end, Swift.min(place.offset + 1, file.utf8.count)))
        return SourcePlace(file, SourceRange(start, stored))
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte.isWordByte || byte >= 0x80
    }
}
