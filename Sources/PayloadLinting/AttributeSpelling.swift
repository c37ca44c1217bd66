// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

/// How Braze spells the values of an attribute that has a fixed set or form of values.
///
/// Source: Braze, "Supported personalization tags", "Language codes", "User attributes object".
enum AttributeSpelling {
    case platform, country, language, gender, timeZone, subscription, email, locale, system

    /// The spelling for the attribute that a lookup reads; nil if its values have no known set or form.
    init?(_ lookup: LookupSyntax) {
        switch lookup.attribute {
        case (nil, "country")?: self = .country
        case (nil, "language")?: self = .language
        case (nil, "gender")?: self = .gender
        case (nil, "time_zone")?: self = .timeZone
        case (nil, "email_address")?: self = .email
        case (nil, "most_recent_locale")?: self = .locale
        case ("most_recently_used_device"?, "platform")?, ("targeted_device"?, "platform")?: self = .platform
        case ("most_recently_used_device"?, "os")?, ("targeted_device"?, "os")?: self = .system
        case ("subscribed_state"?, "email_global")?, ("subscribed_state"?, "push_global")?: self = .subscription
        default: return nil
        }
    }

    /// Why the attribute never has the value `value`, with a suggestion if possible; nil if it may have it.
    func objection(to value: String) -> String? {
        switch self {
        case .platform: Self.oneOf(value, Self.platforms, "platforms are in lower case")
        case .country:
            Self.isCountry(value)
                ? nil : "countries are two capital letters as in ISO 3166-1" + Self.hint(Self.country(value))
        case .language:
            Self.isLanguage(value)
                ? nil : "languages are two lower-case letters as in ISO 639-1" + Self.hint(Self.language(value))
        case .gender: Self.oneOf(value, ["M", "F", "O", "N", "P"], "genders are one capital letter")
        case .subscription:
            Self.oneOf(value, ["opted_in", "subscribed", "unsubscribed"], "states are in lower case with underscores")
        case .email:
            value.contains("@") && !value.hasPrefix("@") && !value.hasSuffix("@") && !value.contains("*")
                ? nil : "this is not a whole address, expected 'contains' for a part of one"
        case .locale:
            value.contains("-")
                ? "locales have an underscore, expected '\(value.parts(between: "-").joined(separator: "_"))'" : nil
        case .system:
            ["ios", "android", "iphone os", "ipados"].contains(value.lowercased())
                ? "this contains the version as well, such as 'iOS 17.1'; expected 'contains', or the attribute 'platform'"
                : nil
        case .timeZone:
            KnownTimeZones.contains(value)
                ? nil
                : "time zones are IANA names" + Self.hint(KnownTimeZones.nearest(to: value) ?? "America/New_York")
        }
    }

    /// Why no value of the attribute contains `part`; nil if one may contain it.
    func objection(toPart part: String) -> String? {
        let letters = Array(part.utf8)
        let mayBePart =
            switch self {
            case .country: letters.count < 3 && letters.allSatisfy(\.isUpperLetter)
            case .language:
                letters.count < 4 && letters.allSatisfy(\.isLowerLetter) || part.hasPrefix("zh")
            case .platform: Self.platforms.contains { $0.holds(part) }
            case .gender, .timeZone, .subscription, .email, .system: true
            case .locale: !part.dropFirst().contains("-")
            }
        return mayBePart ? nil : objection(to: part)
    }

    private static func hint(_ value: String?) -> String { value.map { ", such as '\($0)'" } ?? "" }

    private static func oneOf(_ value: String, _ words: [String], _ rule: String) -> String? {
        if words.contains(value) { return nil }
        let near =
            words.first { $0.lowercased() == value.lowercased().parts(between: "-").joined(separator: "_") }
            ?? words.first { value.lowercased().hasPrefix($0.lowercased()) }
        if let near { return "\(rule), expected '\(near)'" }
        return "\(rule), expected one of \(words.quoted())"
    }

    private static let platforms = ["ios", "android", "kindle", "android_china", "web", "tvos"]

    private static func isCountry(_ value: String) -> Bool { countries.contains(value) }

    private static func country(_ value: String) -> String? {
        let short = value.uppercased()
        if let meant = meantCountries[short] { return meant }
        return countries.contains(short) ? short : nil
    }

    private static func isLanguage(_ value: String) -> Bool {
        // Languages without a two-letter code have three letters, and Chinese may have a script or region.
        if value.utf8.count == 3, value.utf8.allSatisfy(\.isLowerLetter) { return true }
        if value.hasPrefix("zh-") || value.hasPrefix("zh_") { return true }
        return languages.contains(value)
    }

    private static func language(_ value: String) -> String? {
        let lower = value.lowercased()
        if let meant = meantLanguages[lower] { return meant }
        let first = String(lower.prefix { $0 != "-" && $0 != "_" })
        return languages.contains(first) ? first : nil
    }

    /// The codes of countries, by the names and other codes that people write instead.
    private static let meantCountries = [
        "UK": "GB", "EN": "GB", "USA": "US", "UNITED STATES": "US", "ENGLAND": "GB", "GREAT BRITAIN": "GB",
        "UNITED KINGDOM": "GB", "GERMANY": "DE", "FRANCE": "FR", "SPAIN": "ES", "BRAZIL": "BR", "BRA": "BR",
        "JAPAN": "JP",
        "JA": "JP", "KOREA": "KR", "CANADA": "CA", "MEXICO": "MX", "ITALY": "IT", "PORTUGAL": "PT", "CHINA": "CN",
        "INDIA": "IN", "AUSTRALIA": "AU", "DEU": "DE", "FRA": "FR", "ESP": "ES", "GBR": "GB", "CAN": "CA", "MEX": "MX",
    ]
    private static let meantLanguages = [
        "jp": "ja", "cn": "zh", "cz": "cs", "dk": "da", "gr": "el", "ua": "uk", "english": "en", "spanish": "es",
        "portuguese": "pt", "french": "fr", "german": "de", "japanese": "ja", "korean": "ko", "chinese": "zh",
        "italian": "it", "russian": "ru", "dutch": "nl", "arabic": "ar", "español": "es", "português": "pt",
        "deutsch": "de", "français": "fr", "us": "en", "at": "de", "mx": "es",
    ]

    private static let languages = words(
        """
        aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo \
        es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg \
        ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn \
        no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta \
        te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu iw in ji
        """
    )

    private static let countries = words(
        """
        AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC \
        CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD \
        GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH \
        KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW \
        MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC \
        SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY \
        UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW
        """
    )

    private static func words(_ text: String) -> Set<String> { Set(text.split(separator: " ").map(String.init)) }
}
