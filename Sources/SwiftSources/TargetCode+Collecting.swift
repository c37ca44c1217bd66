// SPDX-License-Identifier: MIT

package import AppDeclarations
import DiagnosticSources
import POSIXFiles

extension TargetCode {
    /// The method of an extension to which the system passes a notification.
    package enum EntryPoint: Sendable, Hashable {
        /// The method of a content extension, which draws notifications.
        case content
        /// The method of a service extension, which changes notifications before they are shown.
        case service
    }

    /// Follows the payload of pushes through the files of a target.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - entryPoint: the method that a class of the target must have; nil if the target is not an extension for
    ///     pushes.
    ///   - modules: the names of the modules whose code is among the files.
    ///   - own: the paths of the files of the target itself; nil if there are no files of libraries.
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
        self.init()
        let headers = Set(files.map { $0.file.path.fileNameWithoutExtension + ".h" })
        let first = files.indices.filter { number in
            files[number].mayConcernPushes || !ParsedCode.readsSwift && files[number].file.path.hasSuffix(".swift")
        }
        var code = CodeFiles(files)
        code.parse(Set(first))
        code.parse(code.files(namedBy: Set(first)))
        var reader: PairReader
        var added: Set<Int>
        repeat {
            reader = PairReader(code.units, modules: modules.union(headers))
            reader.follow()
            added = code.files(namedBy: reader.filesOfPushes)
            if added.isEmpty {
                reader.collect()
                added = code.files(namedBy: reader.filesOfPushes)
            }
            code.parse(added)
        } while !added.isEmpty
        var names = reader.names
        if let entryPoint {
            // The types in the other files of the extension matter, but not those in libraries that it shares with the
            // app.
            code.outline { own?.contains($0) ?? true }
            names = CodeNames(code.units)
            declaresEntryPoint = names.declares(entryPoint)
            if !declaresEntryPoint { reader.noteForeignSuperclasses(of: names) }
            inheritedNames = names.undeclaredInheritedNames
            importsUnreadModules = reader.found.importsOthers
        }
        let units = code.units
        (classKinds, hasAllClassKinds) = names.classKinds
        let places = CodePlaces(files: files.map(\.file))
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

    /// Names in UIKit and SwiftUI which show that code handles touches.
    private static let touchNames: Set<String> = [
        "UIButton", "UITextField", "UISwitch", "UISlider", "UIStepper", "UISegmentedControl", "UISearchBar",
        "UIControl",
        "UITapGestureRecognizer", "UISwipeGestureRecognizer", "UIPanGestureRecognizer", "UIPinchGestureRecognizer",
        "UILongPressGestureRecognizer", "UIRotationGestureRecognizer", "touchesBegan", "onTapGesture",
        "onLongPressGesture",
    ]

    /// Names of SwiftUI's controls; a file that does not import SwiftUI may use them for something else.
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
        }.map { UnknownRead(place: places.place($0.place), why: $0.why) }
        var saysUnreadSwift = false
        for unit in units {
            guard let gap = unit.unread else { continue }
            let place = places.place(CodePlace(file: unit.file, offset: gap.offset))
            if !ParsedCode.readsSwift, place.file.path.hasSuffix(".swift") {
                // Reported once, as the reason is the same for all files.
                if saysUnreadSwift { continue }
                saysUnreadSwift = true
            }
            unknownReads.append(UnknownRead(place: place, why: gap.why))
        }
        isTooLarge = reader.isExhausted
    }

    private mutating func collectNames(_ found: OtherFacts, _ places: CodePlaces) {
        func named(_ use: NameUse, besides others: Set<String> = []) -> [Name] {
            (found.names[use] ?? [:]).filter { !others.contains($0.key) }.sorted { $0.key < $1.key }
                .map { text, found in
                    let place = places.place(found.place)
                    return Name(text: text, place: place, literal: places.literal(found.literal, usedAt: place))
                }
        }
        categories = found.categories.sorted { $0.key < $1.key }.map { identifier, entry in
            let actions = entry.actions.sorted { $0.key < $1.key }.map {
                Action(identifier: $0.key, isTextInput: $0.value)
            }
            var category = Category(
                identifier: identifier, actions: actions, isWhole: entry.isWhole, place: places.place(entry.place))
            category.literal = places.literal(entry.literal, usedAt: category.place)
            return category
        }
        registersUnknownCategories = found.registersUnknownCategories
        let compared = named(.comparedAction)
        let inCategories = Set(compared.map(\.text) + categories.flatMap(\.actions).map(\.identifier))
        actions = (compared + named(.action, besides: inCategories)).sorted { $0.text < $1.text }
        appGroups = named(.appGroup)
        events = named(.event)
        backgroundActions = named(
            .backgroundAction, besides: Set(found.names[.foregroundAction, default: [:]].keys))
        comparedCategories = named(.comparedCategory)
        writtenCategories = named(.writtenCategory)
        writes = named(.write)
        changesUnknownPairs = found.changesUnknownPairs
        failingCasts = found.failingCasts.sorted(by: <).map(places.place)
    }
}

extension String {
    /// The name of a file without its extension.
    fileprivate var fileNameWithoutExtension: String {
        let name = split(separator: "/").last ?? ""
        return String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
    }
}
