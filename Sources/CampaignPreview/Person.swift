// SPDX-License-Identifier: MIT

import PayloadKit

/// A user that the page shows, with the profile.
struct Person: Sendable {
    /// The number of the person in links, which reveals nothing about the user; 0 for the user about whom nothing is
    /// known.
    let number: Int

    /// The user's name, or else the id or file that identifies the user.
    let name: String

    /// The characters in the person's round icon, such as initials.
    let initials: String

    /// The text below the name, such as the language and the city of the user.
    let detail: String

    /// The file of the profile, with the line if the file contains several profiles; nil if the profile is not in a
    /// file, or its values must not be shown.
    let source: String?

    /// The profile, or the reason that it cannot be read.
    let profile: Result<Profile, ProfileError>

    /// The JSON of the profile, in which faults are searched for; nil if that is not done, as for the user about whom
    /// nothing is known.
    var file: SourceFile?

    /// The language of the user, such as `pt`; nil if it is not known.
    let language: String?

    /// The time zone of the user; nil if it is not known.
    let zone: String?

    /// Whether the profile has its own properties of the API trigger, which are used instead of the page's.
    var hasOwnTrigger = false

    /// The user about whom nothing is known.
    static let unknown = Person(
        number: 0, name: "Nobody known", initials: "–", detail: "an empty profile", source: nil,
        profile: .success(.unknown), language: nil, zone: nil
    )
}

extension Person {
    /// Reads a user from a profile.
    ///
    /// - Parameters:
    ///   - number: the number of the person in links.
    ///   - bytes: the JSON of the profile.
    ///   - source: the file of the profile, for messages.
    init(_ number: Int, _ bytes: [UInt8], from source: String) {
        do throws(ProfileError) {
            let profile = try bytes.withUnsafeBufferPointer { json throws(ProfileError) in try Profile(json: json) }
            self.init(number, profile, from: source)
        } catch {
            self.init(
                number: number, name: source.lastPart, initials: "!", detail: error.message, source: source,
                profile: .failure(error), language: nil, zone: nil
            )
        }
    }

    /// Creates a user from a profile.
    init(_ number: Int, _ profile: Profile, from source: String) {
        func text(_ name: String) -> String? {
            guard case .string(let text)? = profile.context.members(of: BrazeEnvironment.attributesMember)[name]
            else { return nil }
            return text.isEmpty ? nil : text
        }
        let names = [text("first_name"), text("last_name")].compactMap(\.self)
        let isEastAsian = names.contains { $0.unicodeScalars.contains { (0x3040...0xD7A3).contains($0.value) } }
        // In Chinese, Japanese and Korean names, the family name comes first.
        let name = (isEastAsian ? names.reversed() : names).joined(separator: " ")
        let shown = name.isEmpty ? profile.id ?? source.lastPart : name
        let known = [text("language"), text("city")].compactMap(\.self).joined(separator: " · ")
        self.init(
            number: number,
            name: shown,
            initials: Self.initials(of: shown),
            detail: !known.isEmpty ? known : shown == source.lastPart ? "no name, language or city" : source.lastPart,
            source: source,
            profile: .success(profile),
            language: text("language"),
            zone: text("time_zone")
        )
    }

    private static func initials(of name: String) -> String {
        String(name.split(separator: " ").compactMap(\.first).prefix(2)).uppercased()
    }
}

extension Person {
    /// The same user with another profile.
    func with(_ profile: Profile) -> Person {
        let other = Person(number, profile, from: source ?? "")
        var person = Person(
            number: number, name: name, initials: initials, detail: detail, source: source,
            profile: .success(profile), language: other.language, zone: other.zone
        )
        person.hasOwnTrigger = hasOwnTrigger
        return person
    }

    /// Creates an invented user who takes a branch.
    ///
    /// - Parameters:
    ///   - number: the number of the person in links, which is negative.
    ///   - profile: the profile of the user.
    ///   - hasOwnTrigger: whether the profile has its own properties of the API trigger, which are used.
    ///   - branch: the branch as its author writes it.
    init(added number: Int, _ profile: Profile, hasOwnTrigger: Bool, for branch: String) {
        let other = Person(number, profile, from: "")
        self.init(
            number: number, name: "Test person \(-number)", initials: "T\(-number % 100)", detail: branch,
            source: nil, profile: .success(profile), language: other.language, zone: other.zone
        )
        self.hasOwnTrigger = hasOwnTrigger
    }

    /// The same user under a name that reveals nothing, and with samples instead of all values.
    var redacted: Person {
        guard number > 0, case .success(let profile) = profile else { return self }
        let sample = Profile(sampleOf: profile)
        return Person(
            number: number, name: "Person \(number)", initials: "P\(number % 100)",
            detail: "values replaced by samples",
            source: nil, profile: .success(sample), language: nil, zone: nil
        )
    }
}

extension String {
    /// The part of a path after its last slash.
    var lastPart: String { split(separator: "/").last.map(String.init) ?? self }
}

extension Person {
    /// The properties of the API trigger for this user.
    ///
    /// - Parameter shared: the properties that the page sets for everybody.
    /// - Returns: the profile's own properties if it has its own, else the page's.
    func trigger(_ shared: LiquidObject) -> LiquidObject {
        guard hasOwnTrigger, case .success(let profile) = profile else { return shared }
        return profile.context.members(of: "api_trigger_properties")
    }
}
