// SPDX-License-Identifier: MIT

public import Foundation
import SourceText

extension DefaultsImport {
    /// Removes elements from preferences, and nothing else.
    ///
    /// - Parameters:
    ///   - ids: the ids of the elements' records.
    ///   - preferences: a property list of any format.
    /// - Returns: the property list in the same format, and the ids that were found.
    /// - Throws: that it is no property list of keys and values.
    public static func removing(
        _ ids: Set<UUID>,
        from preferences: Data
    ) throws(DefaultsImportError) -> (preferences: Data, found: Set<UUID>) {
        let elements = try DefaultsImport(preferences, time: Date(timeIntervalSince1970: 0)).places
        let removed = elements.filter { ids.contains($0.key) }
        if removed.isEmpty { return (preferences, []) }
        guard case .dictionary(var members)? = BinaryPlist(preferences: preferences) else {
            throw DefaultsImportError(reason: "found no property list with keys and values")
        }
        for key in Key.allCases {
            let indices = Set(removed.values.lazy.filter { $0.key == key }.map(\.index))
            guard !indices.isEmpty, let place = members.lastIndex(where: { $0.key == key.rawValue }),
                case .array(let array) = members[place].value
            else { continue }
            let rest = array.removing(indices)
            if rest.isEmpty { members.remove(at: place) } else { members[place].value = .array(rest) }
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = preferences.isBinaryPlist ? .binary : .xml
        guard let data = try? encoder.encode(CodedPlist(value: .dictionary(members))) else {
            throw DefaultsImportError(reason: "the property list cannot be written as it was")
        }
        return (data, Set(removed.keys))
    }
}

extension PendingStore {
    /// Takes what the guides' code has left in `UserDefaults` over into the store.
    ///
    /// Every element is saved before it is removed, and only elements that were saved are removed. The defaults are read
    /// again before that, as an extension may have saved meanwhile; an extension that saves in the moment of the writing
    /// can still be lost or undo it, which the defaults give no means against. Whoever is ended between the two finds the
    /// records in the store and does not save them twice.
    ///
    /// - Parameters:
    ///   - defaults: the defaults of the app group.
    ///   - user: whom the records are about; nil for whoever is named when they are sent.
    ///   - time: when they happened, as far as it is known.
    /// - Returns: the records that were taken over, and the elements that stay.
    /// - Throws: why a record cannot be saved; what was not saved stays in the defaults.
    public func takeOver(
        _ defaults: UserDefaults,
        user: UserIdentifier? = nil,
        time: Date = Date()
    ) throws(PendingStoreError) -> DefaultsImport {
        let found = DefaultsImport(defaults.guideArrays, user, time)
        let known = try ids()
        for record in found.records where !known.contains(record.id) { try save(record) }
        let ids = Set(found.records.map(\.id))
        let current = DefaultsImport(defaults.guideArrays, nil, time)
        for key in DefaultsImport.Key.allCases {
            let saved = current.places.lazy.filter { $0.value.key == key && ids.contains($0.key) }
            let indices = Set(saved.map(\.value.index))
            guard !indices.isEmpty, let array = defaults.array(forKey: key.rawValue) else { continue }
            let rest = array.removing(indices)
            if rest.isEmpty {
                defaults.removeObject(forKey: key.rawValue)
            } else {
                defaults.set(rest, forKey: key.rawValue)
            }
        }
        return found
    }
}

extension UserDefaults {
    /// The guides' keys with what they hold, as a property list.
    ///
    /// They pass through their file's form, which knows a boolean from a number on every system.
    fileprivate var guideArrays: BinaryPlist {
        let keys = DefaultsImport.Key.allCases.map(\.rawValue)
        let arrays = Dictionary(uniqueKeysWithValues: keys.compactMap { key in object(forKey: key).map { (key, $0) } })
        let data = try? PropertyListSerialization.data(fromPropertyList: arrays, format: .binary, options: 0)
        return data.flatMap { BinaryPlist(preferences: $0) } ?? .dictionary([])
    }
}

extension Array {
    fileprivate func removing(_ indices: Set<Int>) -> [Element] {
        enumerated().lazy.filter { !indices.contains($0.offset) }.map(\.element)
    }
}
