// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import LiquidTemplates
import PayloadKit

/// The time zones that Braze knows: the zones of IANA and those of Ruby on Rails.
enum KnownTimeZones {
    private static let zones = SystemTimeZones()

    /// Whether a time zone has this name.
    static func contains(_ name: String) -> Bool { zones.offset(of: name, at: 0) != nil }

    /// The zone that a misspelt name probably means; nil if no zone has a similar name.
    static func nearest(to name: String) -> String? {
        if let meant = abbreviations[name.uppercased()] { return meant }
        return nearestName(to: name, in: TimeZone.knownTimeZoneIdentifiers + RailsTimeZones.names)
    }

    /// The zones that common abbreviations probably mean.
    private static let abbreviations = [
        "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "MST": "America/Denver", "MDT": "America/Denver",
        "CST": "America/Chicago", "CDT": "America/Chicago", "EST": "America/New_York", "EDT": "America/New_York",
        "GMT": "Europe/London", "BST": "Europe/London", "CET": "Europe/Paris", "CEST": "Europe/Paris",
        "JST": "Asia/Tokyo", "KST": "Asia/Seoul", "IST": "Asia/Kolkata", "AEST": "Australia/Sydney",
        "BRT": "America/Sao_Paulo", "PT": "America/Los_Angeles", "ET": "America/New_York",
    ]
}
