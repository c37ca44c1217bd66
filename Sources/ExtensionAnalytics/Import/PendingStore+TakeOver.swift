// SPDX-License-Identifier: MIT

import BinaryPlists
import DiagnosticSources
public import Foundation
import POSIXFiles

extension PendingStore {
    /// Moves what the code of Braze's guides left in `UserDefaults` to the store.
    ///
    /// Every element is saved before it is removed, and only saved elements are removed. The defaults are read again
    /// before the removal, because an extension may have saved more elements in the meantime. What an extension saves
    /// during the write can still be lost, or can undo the removal: the defaults offer no way to prevent that.
    ///
    /// The numbers of the elements are stored in a file of the store. If a process ends early, no element is lost, and
    /// the next process does not save elements again whose records are still in the store. Records can be saved twice
    /// only if a process ends while it removes elements, or if the file with the numbers is lost. Use each store for
    /// the defaults of only one app group, and call this function from only one process at a time.
    ///
    /// - Parameters:
    ///   - defaults: the defaults of the app group.
    ///   - user: the user whom the records are about; nil for the user given when they are sent.
    ///   - time: the time of the records; by default, the current time.
    /// - Returns: the records that were moved, and the elements that stay.
    /// - Throws: why a record cannot be saved; what was not saved stays in the defaults.
    public func takeOver(
        _ defaults: UserDefaults,
        user: UserIdentifier? = nil,
        time: Date = Date()
    ) throws(PendingStoreError) -> DefaultsImport {
        let stored = storedNumbering
        var numbering = stored ?? DefaultsNumbering()
        var elements = DefaultsElements { key throws(ElementError) in try defaults.values(of: key) }
        numbering.update(elements, time: time)
        let found = DefaultsImport(elements, numbering, user: user, time: time)
        if numbering != stored, stored != nil || !elements.arrays.isEmpty { try save(numbering) }
        if found.records.isEmpty { return found }
        let known = try ids()
        for record in found.records where !known.contains(record.id) { try save(record) }

        elements = DefaultsElements { key throws(ElementError) in try defaults.values(of: key) }
        numbering.update(elements, time: time)
        var positions: [DefaultsImport.Key: Set<Int>] = [:]
        for record in found.records {
            guard case .element(let key, let position) = numbering.occurrence(record.id) else { continue }
            positions[key, default: []].insert(position)
        }
        numbering.beginRemoval(of: positions)
        try save(numbering)
        for (key, positions) in positions {
            let array = defaults.array(forKey: key.rawValue) ?? []
            let rest = array.indices.filter { !positions.contains($0) }.map { array[$0] }
            if rest.isEmpty {
                defaults.removeObject(forKey: key.rawValue)
            } else {
                defaults.set(rest, forKey: key.rawValue)
            }
        }
        numbering.finishRemoval(of: positions)
        try save(numbering)
        return found
    }

    /// The name of the file with the numbering.
    ///
    /// It is not the name of a record's file, so readers of records ignore it.
    private static let numberingName = ".defaults.json"

    /// The numbering that an earlier process stored; nil if there is none that can be read.
    ///
    /// Without it, all elements count as new: some may be saved twice, but none is lost.
    private var storedNumbering: DefaultsNumbering? {
        guard let bytes = try? OpenFile(path(Self.numberingName)).bytes(limit: 1 << 28) else { return nil }
        return try? DefaultsNumbering(SourceFile(path: Self.numberingName, bytes: bytes))
    }

    private func save(_ numbering: DefaultsNumbering) throws(PendingStoreError) {
        // This temporary file may be left from an earlier process that ended while it wrote.
        unlink(path(Self.temporaryPrefix + Self.numberingName))
        try write(numbering.json, to: Self.numberingName)
    }
}

extension UserDefaults {
    /// The values of a key in `UserDefaults`, as property list values.
    ///
    /// They are converted to the format of a file first, which distinguishes booleans from numbers on every system.
    fileprivate func values(of key: DefaultsImport.Key) throws(ElementError) -> [PlistValue] {
        guard let object = object(forKey: key.rawValue) else { return [] }
        let limits = PlistValue.BinaryLimits()
        var objectsLeft = limits.objects
        guard Self.isWithinLimits(object, depth: limits.depth, objects: &objectsLeft),
            let data = try? PropertyListSerialization.data(fromPropertyList: [object], format: .binary, options: 0),
            case .array(let values)? = try? PlistValue(binary: Array(data), limits: limits)
        else { throw ElementError("the value is nested too deeply or too large to be read") }
        return values
    }

    /// Whether a value is within the limits of depth and of the number of objects; an object counts once for each
    /// reference to it.
    private static func isWithinLimits(_ value: Any, depth: Int, objects: inout Int) -> Bool {
        objects -= 1
        guard depth > 0, objects >= 0 else { return false }
        switch value {
        case let array as [Any]:
            return array.allSatisfy { isWithinLimits($0, depth: depth - 1, objects: &objects) }
        case let dictionary as [String: Any]:
            return dictionary.values.allSatisfy { isWithinLimits($0, depth: depth - 1, objects: &objects) }
        case let data as Data: objects -= data.count / 64
        case let text as String: objects -= text.utf8.count / 64
        default: break
        }
        return objects >= 0
    }
}
