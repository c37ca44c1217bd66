// SPDX-License-Identifier: MIT

/// Writes one profile: about 2 KB with what exports hold, nulls, missing fields, long texts and many devices included.
struct ProfileWriter {
    private var random: SplitMix
    private let number: UInt64
    private var json = ""
    private var needsComma = false

    init(seed: UInt64, number: UInt64) {
        self.number = number
        random = SplitMix(state: seed &* 0x9E37_79B9_7F4A_7C15 ^ number &* 0xD1B5_4A32_D192_ED03)
    }

    consuming func write(into output: inout [UInt8]) {
        json.reserveCapacity(4_096)
        let people = random.choice(People.all)
        writeIdentity(people)
        writeCustomAttributes(people)
        list("custom_events", upTo: 6) { $0.writeEvent() }
        list("purchases", upTo: 2) { $0.writePurchase() }
        list("devices", upTo: 3) { $0.writeDevice() }
        list("push_tokens", upTo: 2) { $0.writeToken() }
        list("apps", upTo: 2) { $0.writeApp() }
        list("campaigns_received", upTo: 4) { $0.writeCampaign() }
        json += "}\n"
        output.append(contentsOf: json.utf8)
    }

    // MARK: - Parts

    private mutating func writeIdentity(_ people: People) {
        json += "{"
        if !random.happens(1, in: 200) { text("external_id", "user-\(number)") }
        text("braze_id", hexadecimal(24))
        text("created_at", date())
        text("first_name", random.happens(1, in: 12) ? nil : random.choice(people.firstNames), missing: 10)
        text("last_name", random.choice(people.lastNames), missing: 8)
        text("email", "user\(number)@example.com", missing: 6)
        text("phone", random.happens(1, in: 3) ? nil : "+1555\(1_000_000 + random.below(9_000_000))", missing: 4)
        text("dob", "19\(50 + random.below(50))-0\(1 + random.below(9))-1\(random.below(10))", missing: 3)
        text("gender", random.choice(["F", "M", "O", "N"]), missing: 5)
        text("home_city", random.choice(people.cities), missing: 4)
        text("country", people.country)
        text("language", people.language)
        text("time_zone", people.zone, missing: 9)
        number("random_bucket", random.below(10_000))
        number("total_revenue", random.below(100_000))
        text("email_subscribe", random.choice(["subscribed", "opted_in", "unsubscribed"]))
        text("push_subscribe", random.choice(["subscribed", "opted_in", "unsubscribed"]))
        key("last_coordinates")
        let longitude = "-\(random.below(99)).\(random.below(9_999))"
        json += random.happens(1, in: 2) ? "null" : "[\(longitude),\(random.below(89)).25]"
        key("uninstalled_at")
        json += "null"
    }

    private mutating func writeCustomAttributes(_ people: People) {
        key("custom_attributes")
        json += "{"
        needsComma = false
        if !random.happens(1, in: 10) { number("completed_session_count", random.below(14)) }
        if !random.happens(1, in: 4) { number("total_session_count", 12) }
        text("track", random.choice(["Marketer", "Developer", "Designer"]), missing: 7)
        key("lab_registered")
        json += random.happens(1, in: 2) ? "true" : "false"
        key("vip")
        json += random.happens(1, in: 3) ? "null" : "false"
        text("trial_end", date(), missing: 3)
        number("score", random.below(1_000))
        key("ratio")
        json += "0.\(1 + random.below(999_999))"
        var notes = random.choice(people.sentences)
        for _ in 0..<random.below(4) { notes += " " + random.choice(people.sentences) }
        text("notes", notes, missing: 5)
        list("tags", upTo: 5) { $0.element($0.random.choice(People.tags)) }
        key("address")
        json += "{"
        needsComma = false
        text("city", random.choice(people.cities))
        text("postal_code", "\(10_000 + random.below(89_999))")
        text("street", nil)
        json += "}}"
        needsComma = true
    }

    private mutating func writeEvent() {
        text("name", random.choice(People.events))
        text("first", date())
        text("last", date())
        number("count", 1 + random.below(60))
    }

    private mutating func writePurchase() {
        text("name", "sku-\(random.below(500))")
        text("first", date())
        text("last", date())
        number("count", 1 + random.below(4))
    }

    private mutating func writeDevice() {
        text("model", random.choice(People.models))
        text("os", "iOS 26.\(random.below(3))")
        text("carrier", random.happens(1, in: 2) ? nil : "Vivo")
        text("idfv", hexadecimal(32))
        text("idfa", random.happens(2, in: 3) ? "" : hexadecimal(32))
        text("device_id", hexadecimal(32))
        key("ad_tracking_enabled")
        json += random.happens(1, in: 2) ? "true" : "false"
    }

    private mutating func writeToken() {
        text("app", "BookDemo")
        text("platform", "iOS")
        text("token", hexadecimal(64))
        text("device_id", hexadecimal(32))
        key("notifications_enabled")
        json += "true"
    }

    private mutating func writeApp() {
        text("name", "BookDemo")
        text("platform", "iOS")
        text("version", "4.\(random.below(9)).0")
        number("sessions", random.below(400))
        text("first_used", date())
        text("last_used", date())
    }

    private mutating func writeCampaign() {
        text("name", "LAB \(random.below(40))")
        text("api_campaign_id", hexadecimal(32))
        text("last_received", date())
        key("engaged")
        json += "{\"opened_push\":\(random.happens(1, in: 3))}"
        key("converted")
        json += "false"
    }

    // MARK: - JSON

    private mutating func key(_ key: String) {
        if needsComma { json += "," }
        needsComma = true
        json += "\"\(key)\":"
    }

    /// Writes a member whose text is escaped already; one in `missing` is left out.
    private mutating func text(_ name: String, _ text: String?, missing: UInt64 = 0) {
        if missing > 0, random.happens(1, in: missing) { return }
        key(name)
        json += text.map { "\"\($0)\"" } ?? "null"
    }

    private mutating func number(_ name: String, _ number: UInt64) {
        key(name)
        json += "\(number)"
    }

    private mutating func element(_ text: String) { json += "\"\(text)\"" }

    private mutating func list(_ name: String, upTo limit: UInt64, _ write: (inout ProfileWriter) -> Void) {
        key(name)
        json += "["
        for index in 0..<random.below(limit + 1) {
            if index > 0 { json += "," }
            needsComma = false
            let isObject = name != "tags"
            if isObject { json += "{" }
            write(&self)
            if isObject { json += "}" }
        }
        json += "]"
        needsComma = true
    }

    private mutating func hexadecimal(_ count: Int) -> String {
        var text = ""
        while text.utf8.count < count { text += String(random.next() | 1 << 63, radix: 16) }
        return String(text.prefix(count))
    }

    private mutating func date() -> String {
        let (month, day, hour) = (1 + random.below(12), 1 + random.below(28), random.below(24))
        let digits = { (value: UInt64) in value < 10 ? "0\(value)" : "\(value)" }
        return "2026-\(digits(month))-\(digits(day))T\(digits(hour)):\(digits(random.below(60))):07.000Z"
    }
}

/// Numbers that look random and depend on nothing but where they start.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func below(_ limit: UInt64) -> UInt64 { next() % limit }
    mutating func happens(_ count: UInt64, in total: UInt64) -> Bool { below(total) < count }
    mutating func choice<Element>(_ elements: [Element]) -> Element { elements[Int(below(UInt64(elements.count)))] }
}
