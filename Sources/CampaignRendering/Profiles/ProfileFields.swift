// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
package import LiquidTemplates

/// The fields of an export that the templates of a message may read; all other fields need not be decoded.
struct ProfileFields: Sendable {
    /// For each attribute of ``AttributeTable/bare``, whether it is read.
    private(set) var bare: [Bool]

    /// The custom attributes that are read; nil if all may be read.
    private(set) var customAttributes: [String]?

    /// Whether attributes of the most recently used app are read.
    private(set) var readsApps = true

    /// Whether `most_recently_used_device` is read.
    private(set) var readsDevices = true

    /// Whether `subscribed_state` is read.
    private(set) var readsSubscription = true

    /// Whether a template reads `braze_id`.
    ///
    /// ``bare`` includes it in any case, as it may be the id of the record.
    private(set) var readsBrazeID = true

    /// The top-level field that gives the id instead of `external_id` and `braze_id`; nil for none.
    var idField: String?

    /// All fields of an export.
    static let all = ProfileFields(bare: AttributeTable.bare.map { _ in true }, customAttributes: nil)

    private init(bare: [Bool], customAttributes: [String]?) {
        self.bare = bare
        self.customAttributes = customAttributes
    }

    /// Creates the fields for what templates read.
    init(_ reads: DataReads) {
        guard case .paths(let paths) = reads else {
            self = .all
            return
        }
        // The ids are always read, because every record contains one.
        self.init(bare: AttributeTable.bare.map { $0.name == "user_id" || $0.name == "braze_id" }, customAttributes: [])
        (readsApps, readsDevices, readsSubscription, readsBrazeID) = (false, false, false, false)
        for path in paths { add(path) }
        guard let names = customAttributes?.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) else { return }
        customAttributes = names.reduce(into: []) { unique, name in
            if unique.last?.sameBytes(as: name) != true { unique.append(name) }
        }
    }

    private mutating func add(_ path: VariablePath) {
        switch path.root {
        case .computed: self = .all
        case .attribute(let name): addBare(name)
        case .name("custom_attribute"): addCustomAttribute(path.segments.first)
        case .name("most_recently_used_device"): readsDevices = true
        case .name("subscribed_state"): readsSubscription = true
        case .name: break
        }
    }

    private mutating func addBare(_ name: String) {
        guard let plain = Self.plainName(name) else { return self = .all }
        if plain == "braze_id" { readsBrazeID = true }
        if plain == "last_used_app_date" || plain == "most_recent_app_version" { readsApps = true }
        for (index, attribute) in AttributeTable.bare.enumerated() where attribute.name == plain { bare[index] = true }
    }

    private mutating func addCustomAttribute(_ segment: VariablePath.Segment?) {
        switch segment {
        case .attribute(let name)?, .key(let name)?:
            guard let plain = Self.plainName(name) else { return customAttributes = nil }
            customAttributes?.append(plain)
        default: customAttributes = nil
        }
    }

    /// The name of a member; nil for `size`, `first`, `last` and paths, which may read more than one member.
    private static func plainName(_ name: String) -> String? {
        if ["size", "first", "last"].contains(name) { return nil }
        return name.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") } ? nil : name
    }
}

extension [TemplateAnalysis] {
    /// The data that the templates of a message may read.
    ///
    /// - Parameters:
    ///   - blocks: the sources of content blocks.
    ///   - environment: the dialect.
    ///   - mode: how strictly the blocks are read.
    /// - Returns: the paths that are read, or everything if a template or block computes the names that it reads.
    func dataReads(contentBlocks blocks: LiquidObject, environment: Environment, mode: ErrorMode) -> DataReads {
        var reads = DataReads.paths([])
        for analysis in self {
            reads.formUnion(
                analysis.dataReads { use in
                    guard let name = use.name, case .string(let source)? = blocks[name] else { return nil }
                    let block = try? Template(source, name: name, environment: environment, mode: mode)
                    return block?.analysis()
                }
            )
        }
        return reads
    }

    /// Whether the templates, or content blocks that they use, read the most recently used device.
    ///
    /// - Parameters:
    ///   - blocks: the sources of content blocks.
    ///   - environment: the dialect.
    ///   - mode: how strictly the blocks are read.
    /// - Returns: whether any of them reads it.
    package func readDevice(contentBlocks blocks: LiquidObject, environment: Environment, mode: ErrorMode) -> Bool {
        var pending = self
        var reached: Set<[UInt8]> = []
        while let analysis = pending.popLast() {
            if analysis.reads.contains(where: { $0.path.root == .name("most_recently_used_device") }) { return true }
            for name in analysis.partials.compactMap(\.name) where reached.insert([UInt8](name.utf8)).inserted {
                guard case .string(let source)? = blocks[name],
                    let block = try? Template(source, name: name, environment: environment, mode: mode)
                else { continue }
                pending.append(block.analysis())
            }
        }
        return false
    }
}
