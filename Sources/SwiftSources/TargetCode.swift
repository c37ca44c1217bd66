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

    let unit: CodeUnit

    /// Whether the file may be about pushes; a target without such a file is not analysed.
    package let mayConcernPushes: Bool

    /// Parts of names; code that gives access to a push, a category or an app group contains one of them.
    private static let marks = [
        "userInfo", "UNNotification", "emoteNotification", "uiteName", "ecurityApplicationGroup",
    ]

    /// Reads a file.
    package init(_ file: SourceFile) {
        self.file = file
        mayConcernPushes = Self.marks.contains { file.utf8[...].firstRange(ofBytes: $0.utf8) != nil }
        guard file.utf8.count <= Self.byteLimit else {
            unit = CodeUnit(unread: CodeGap(offset: 0, why: "the file has more than \(Self.byteLimit) bytes"))
            return
        }
        // Code in UTF-16 without a byte order mark is valid UTF-8 with zeros.
        let invalid = file.firstInvalidOffset ?? file.utf8.firstIndex(of: 0)
        if file.path.hasSuffix(".swift") {
            #if SwiftSources
                unit = LargeStack.run { SwiftUnitReader.unit(of: file.utf8, firstInvalid: invalid) }
            #else
                unit = CodeUnit(unread: CodeGap(offset: 0, why: "this build of payloadgen does not read Swift"))
            #endif
        } else {
            unit = LargeStack.run { ObjectiveCUnitReader.unit(of: file.utf8, isValid: invalid == nil) }
        }
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
            let mark = PayloadTracer.textMark
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

    package var reads: [Read] = []
    package var unknownReads: [Gap] = []
    /// Whether the code is too large to be analysed completely, so that it may read more.
    package var isTooLarge = false
    /// The conflicts that merges have left in the files, the first one of each.
    package var mergeConflicts: [SourcePlace] = []
    /// The casts of the dictionary of a push to one of texts or of other values of one type, which fail for each push.
    package var failingCasts: [SourcePlace] = []
    package var writes: [Write] = []
    /// Whether the code also changes pairs of a push whose keys are not known.
    package var changesUnknownPairs = false
    package var categories: [Category] = []
    /// Whether the code also registers categories whose identifiers are known only while the app runs.
    package var registersUnknownCategories = false
    /// Identifiers of actions that the code registers outside known categories, or compares with the chosen action.
    package var actions: [Name] = []
    /// The categories with which the code compares that of a push.
    package var comparedCategories: [Name] = []
    /// The categories that the code gives to notifications.
    package var writtenCategories: [Name] = []
    package var appGroups: [Name] = []
    /// The Objective-C names of Swift classes, and the names of all Objective-C classes.
    package var objectiveCNames: Set<String> = []
    /// The names of the types that the code declares, without their outer types; nil where some of it is not read.
    package var typeNames: Set<String>?
    /// Those of the types that the files of the target itself declare.
    package var ownTypeNames: Set<String>?
    /// The names of the classes and protocols that types of an extension's code inherit and that it does not declare.
    package var inheritedNames: Set<String> = []
    /// Whether the code of an extension imports modules whose code is not read.
    package var importsUnreadModules = false
    /// Whether a class of the code has the method that the entry point of the extension must have.
    package var declaresEntryPoint = false
    /// Whether the code uses the Push Stories of Braze's Objective-C SDK, which get their app group from code.
    package var usesOldPushStories = false
    /// Whether the code sets `preferredContentSize`.
    package var setsContentSize = false

    /// Creates the result for a target without code.
    package init() {}

    /// The method of an extension to which the system passes a notification.
    package enum EntryPoint: Sendable, Hashable {
        /// That of an extension that draws notifications.
        case content
        /// That of an extension that changes notifications before they are shown.
        case service
    }

    /// Follows the payload of pushes through the files of a target.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - entryPoint: the method that some class of the target must have; nil where it is not an extension for pushes.
    ///   - modules: the names of the modules whose code is among the files.
    package init(_ files: [ParsedCode], entryPoint: EntryPoint? = nil, modules: Set<String> = []) {
        self = LargeStack.run { TargetCode(following: files, entryPoint, modules) }
    }

    private init(following files: [ParsedCode], _ entryPoint: EntryPoint?, _ modules: Set<String>) {
        var units: [CodeUnit] = []
        for (number, parsed) in files.enumerated() {
            var unit = parsed.unit
            unit.file = number
            units.append(unit)
        }
        let headers = files.map { $0.file.path.fileNameWithoutExtension }
        let tracer = PayloadTracer(units, modules: modules.union(headers.map { $0 + ".h" }))
        tracer.run()
        if let entryPoint {
            tracer.noteForeignSuperclasses(for: entryPoint)
            declaresEntryPoint = tracer.declares(entryPoint)
            inheritedNames = tracer.index.undeclaredInheritedNames
            importsUnreadModules = tracer.importsOthers
        }
        let places = CodePlaces(files.map(\.file))
        reads = Self.reads(tracer, places)
        writes = tracer.writes.map { Write(key: $0.key, place: places.place($0.value)) }.sorted { $0.key < $1.key }
        changesUnknownPairs = tracer.changesUnknownPairs
        failingCasts = tracer.failingCasts.sorted { ($0.file, $0.offset) < ($1.file, $1.offset) }.map(places.place)
        collectGaps(tracer, units, places)
        collectNames(tracer, places)
        objectiveCNames = Set(units.flatMap(\.types).flatMap(\.withNested).compactMap(\.objectiveCName))
        usesOldPushStories = units.contains { $0.mentions.contains("ABKStoriesViewDataSource") }
        setsContentSize = units.contains { $0.mentions.contains("preferredContentSize") }
    }

    private mutating func collectGaps(_ tracer: PayloadTracer, _ units: [CodeUnit], _ places: CodePlaces) {
        var reports = tracer.unknown
        for (function, found) in tracer.pending where !tracer.covered.contains(function) {
            let name = tracer.functionsByID[function]?.declaration.name ?? "init"
            if name == "init" || name == "subscript" || units.contains(where: { $0.mentions.contains(name) }) {
                reports.formUnion(found)
            }
        }
        unknownReads = reports.sorted {
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
        isTooLarge = tracer.isExhausted
    }

    private mutating func collectNames(_ tracer: PayloadTracer, _ places: CodePlaces) {
        func named(_ found: [String: CodePlace]) -> [Name] {
            found.sorted { $0.key < $1.key }.map { Name(text: $0.key, place: places.place($0.value)) }
        }
        var inCategories: Set<String> = []
        for (identifier, entry) in tracer.categories.sorted(by: { $0.key < $1.key }) {
            let actions = entry.actions.sorted { $0.key < $1.key }.map {
                Action(identifier: $0.key, isTextInput: $0.value)
            }
            inCategories.formUnion(entry.actions.keys)
            categories.append(
                Category(
                    identifier: identifier, actions: actions, isWhole: entry.isWhole, place: places.place(entry.place))
            )
        }
        registersUnknownCategories =
            tracer.registersUnknownCategories || !tracer.categoryFunctions.isSubset(of: tracer.covered)
        var names: [String: CodePlace] = tracer.comparedActions
        for (identifier, entry) in tracer.actions where !inCategories.contains(identifier) && names[identifier] == nil {
            names[identifier] = entry.place
        }
        actions = named(names)
        appGroups = named(tracer.groups)
        comparedCategories = named(tracer.comparedCategories)
        writtenCategories = named(tracer.writtenCategories)
    }

    private static func reads(_ tracer: PayloadTracer, _ places: CodePlaces) -> [Read] {
        struct Name: Hashable {
            var path: [String]
            var key: String
        }
        var sitesByName: [Name: [Int]] = [:]
        for (number, site) in tracer.sites.enumerated() {
            sitesByName[Name(path: site.path, key: site.key), default: []].append(number)
        }
        func shown(_ site: Int) -> CodePlace { tracer.sites[site].origin ?? tracer.sites[site].place }
        let order: (CodePlace, CodePlace) -> Bool = { ($0.file, $0.offset) < ($1.file, $1.offset) }
        var found: [(read: Read, place: CodePlace)] = []
        for (name, sites) in sitesByName {
            let casts = sites.reduce(into: Set<ReadType>()) { $0.formUnion(tracer.facts[$1].casts) }
            let conversions = sites.reduce(into: Set<ReadType>()) { $0.formUnion(tracer.facts[$1].conversions) }
            let strict = sites.reduce(into: Set<ReadType>()) { $0.formUnion(tracer.facts[$1].strictCasts) }
            let impossible = sites.reduce(into: Set<String>()) { $0.formUnion(tracer.facts[$1].impossibleCasts) }
            let types = Set(impossible.compactMap { ReadType(.named($0, [])) })
            let hasOtherDates = sites.contains { tracer.facts[$0].hasOtherDates }
            let isImpossible = conversions.isEmpty && casts.isSubset(of: types)
            // Code that tries several types need not crash for the values of one of them.
            let crashes = (casts.count > 1 ? [] : sites).flatMap { site in
                let facts = tracer.facts[site]
                return facts.crashes.filter { isImpossible || !$0.conversion.isImpossible }.map { crash in
                    var condition = crash.circumstances.certainCondition
                    // Another key may be read.
                    let isOneOfMany = facts.isOneOfMany || !facts.choosers.isSubset(of: tracer.covered)
                    condition.isOpen = condition.isOpen || isOneOfMany
                    return Crash(conversion: crash.conversion, isExit: crash.isExit, condition: condition)
                }
            }
            for need in Need.all(of: sites, in: tracer) {
                guard let first = need.sites.map(shown).min(by: order) else { continue }
                let others = Set(sites.map(shown)).subtracting([first]).sorted(by: order)
                let read = Read(
                    key: name.key,
                    path: name.path,
                    type: ReadType(casts: casts, conversions: conversions),
                    sentType: ReadType(
                        casts: casts, conversions: hasOtherDates ? conversions.subtracting([.date]) : conversions),
                    requirement: need.requirement,
                    place: places.place(first),
                    otherPlaces: others.map(places.place),
                    alternatives: need.alternatives.sorted(),
                    isCast: (conversions.isEmpty || !strict.isDisjoint(with: ReadType.notText))
                        && !casts.contains(.string),
                    isTextCast: strict == [.string] && casts == [.string],
                    impossibleCast: isImpossible ? impossible.min() : nil,
                    crashes: crashes,
                    isGate: need.isGate,
                    condition: need.condition
                )
                found.append((read, first))
            }
        }
        return found.sorted {
            ($0.place.file, $0.place.offset, $0.read.path.count, $0.read.key)
                < ($1.place.file, $1.place.offset, $1.read.path.count, $1.read.key)
        }.map(\.read)
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

/// What code does without a key, and for which pushes.
private struct Need {
    var requirement: ReadRequirement
    var isGate: Bool
    var condition: ReadCondition
    /// The keys of which any one is enough instead.
    var alternatives: Set<String>
    var sites: [Int]

    /// The needs of reads of one key, without those that others include; one if the code works without the key.
    static func all(of sites: [Int], in tracer: PayloadTracer) -> [Need] {
        func alternatives(to site: Int, or others: Set<Int> = []) -> [String] {
            let own = tracer.sites[site]
            return others.union(tracer.facts[site].alternatives).map { tracer.sites[$0] }
                .filter { $0.path == own.path && $0.key != own.key }.map(\.key)
        }
        var found: [Need] = []
        for site in sites {
            let facts = tracer.facts[site]
            let isOpen = facts.isOneOfMany || !facts.choosers.isSubset(of: tracer.covered)
            let demands = facts.demands.filter { $0.requirement > .default }
            for (demand, condition) in demands.flatMap({ one in one.circumstances.conditions.map { (one, $0) } }) {
                let others = Set(alternatives(to: site, or: demand.instead))
                let isGate = demand.isGate && !facts.repeated.contains(demand.requirement)
                var condition = condition
                condition.isOpen = condition.isOpen || isOpen
                let same = found.firstIndex {
                    $0.requirement == demand.requirement && $0.condition.keys == condition.keys
                        && $0.condition.isOpen == condition.isOpen && $0.alternatives == others
                }
                guard let same else {
                    found.append(
                        Need(
                            requirement: demand.requirement, isGate: demand.requirement == .return && isGate,
                            condition: condition, alternatives: others, sites: [site]))
                    continue
                }
                let union = found[same].condition.categories.union(condition.categories)
                found[same].condition.categories = union
                if !isGate { found[same].isGate = false }
                found[same].sites.formUnion([site])
            }
        }
        let needs = found.indices.filter { index in
            !found.indices.contains { other in
                other != index && found[other].covers(found[index])
                    && (other < index || !found[index].covers(found[other]))
            }
        }
        guard needs.isEmpty else { return needs.map { found[$0] } }
        let requirement = sites.flatMap { tracer.facts[$0].demands.map(\.requirement) }.max() ?? .optional
        let deciding = sites.filter { site in
            requirement == .optional || tracer.facts[site].demands.contains { $0.requirement == requirement }
        }
        return [
            Need(
                requirement: requirement, isGate: false, condition: .always,
                alternatives: Set(sites.flatMap { alternatives(to: $0) }), sites: deciding)
        ]
    }

    private func covers(_ other: Need) -> Bool {
        condition.covers(other.condition) && alternatives.isSubset(of: other.alternatives)
            && (requirement > other.requirement || requirement == other.requirement && (!isGate || other.isGate))
    }
}

/// Converts offsets in files to places.
private struct CodePlaces {
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
