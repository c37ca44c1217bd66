// SPDX-License-Identifier: MIT

import DiagnosticSources
internal import Foundation
public import LiquidTemplates
internal import POSIXFiles

/// The time zones of this machine, by their IANA names and by the names that Rails uses.
///
/// A zone is read from the machine's TZif files when it is first used, and then kept, so that later lookups are a
/// dictionary access and a binary search. Foundation is asked only where a file is missing, as in a container without
/// tzdata: it has different abbreviations (`GMT-5` for `EST`) and is about a hundred times slower.
public final class SystemTimeZones: TimeZoneProvider {
    private enum Zone: Sendable {
        case file(TimeZoneFile)
        case foundation(TimeZone)
        case unknown
    }

    /// The maximum number of names that are kept in memory.
    private static let greatestCount = 2_048

    private let folders: [String]
    private let zones = Locked<[String: Zone]>([:])

    /// Creates a provider that reads the folders in which Linux and macOS keep their zones.
    public convenience init() {
        self.init(folders: ["/usr/share/zoneinfo", "/var/db/timezone/zoneinfo", "/usr/share/lib/zoneinfo"])
    }

    /// The release of the machine's time zone data, such as `2025b`; nil if the data does not say.
    package static let release: String? = {
        for path in ["/usr/share/zoneinfo/tzdata.zi", "/usr/share/zoneinfo/+VERSION"] {
            guard let data = try? FileHandle(forReadingAtPath: path)?.read(upToCount: 64) else { continue }
            let line = String(decoding: data.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            return line.split(separator: " ").last.map(String.init)
        }
        return nil
    }()

    /// Creates a provider that reads specific folders.
    package init(folders: [String]) {
        self.folders = folders
    }

    /// The offset from UTC in seconds and the abbreviation of a zone at an instant; nil if there is no such zone.
    ///
    /// - Parameters:
    ///   - identifier: an IANA identifier such as `Europe/Paris`, or a Rails name such as `Eastern Time (US & Canada)`.
    ///   - seconds: seconds since 1970-01-01T00:00:00Z.
    /// - Returns: the offset, and the abbreviation as in tzdata: `CET`, or a number such as `+03` where the zone has
    ///   none.
    public func offset(of identifier: String, at seconds: Int) -> (utcOffset: Int, abbreviation: String)? {
        switch zone(identifier) {
        case .file(let file):
            let found = file.offset(at: seconds)
            return (found.seconds, found.abbreviation)
        case .foundation(let zone):
            let date = Date(timeIntervalSince1970: Double(seconds))
            return (zone.secondsFromGMT(for: date), zone.abbreviation(for: date) ?? "")
        case .unknown: return nil
        }
    }

    private func zone(_ identifier: String) -> Zone {
        if let known = zones.withLock({ $0[identifier] }) { return known }
        let read = read(RailsTimeZones.identifier(of: identifier) ?? identifier)
        zones.withLock {
            if $0.count >= Self.greatestCount { $0.removeAll() }
            $0[identifier] = read
        }
        return read
    }

    private func read(_ identifier: String) -> Zone {
        guard Self.isWellFormed(identifier) else { return .unknown }
        for folder in folders {
            guard let data = FileManager.default.contents(atPath: folder + "/" + identifier),
                let file = TimeZoneFile([UInt8](data))
            else { continue }
            return .file(file)
        }
        // Foundation also accepts offsets such as `GMT+3`, which are not zones.
        let isOffset = identifier.utf8.starts(with: "GMT".utf8) || identifier.utf8.starts(with: "UTC".utf8)
        if isOffset, identifier.utf8.count > 3 { return .unknown }
        // Abbreviations such as `PST` are not zones either, except for two that are also IANA zones.
        if TimeZone.abbreviationDictionary[identifier] != nil, identifier != "UTC", identifier != "GMT" {
            return .unknown
        }
        return TimeZone(identifier: identifier).map { .foundation($0) } ?? .unknown
    }

    /// Whether a name has the form of an IANA identifier, so that it may become part of a path.
    ///
    /// Such a name consists of words between slashes, with letters, digits, underscores and signs; the first letter is
    /// a capital.
    private static func isWellFormed(_ identifier: String) -> Bool {
        guard identifier.utf8.count <= 64, let first = identifier.utf8.first,
            first.isUpperLetter, identifier.utf8.last != UInt8(ascii: "/")
        else { return false }
        return identifier.utf8.allSatisfy { $0.isNameByte || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
    }
}
