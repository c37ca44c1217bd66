// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import POSIXFiles
import PayloadKit

/// The people that the page can show; each profile is read only when it is needed.
struct People: Sendable {
    private let files: [ProfileFile]
    /// The number of profiles in the files before each file.
    private let starts: [Int]
    private let redacts: Bool

    /// The number of profiles, without the user about whom nothing is known.
    let count: Int

    /// The people who were added on the page; they have negative numbers.
    let added: [Person]

    var paths: [String] { files.map(\.path) }

    /// The maximum number of people in the list of the page.
    static let listLimit = 200

    init(_ files: [ProfileFile], added: [Person] = [], redacts: Bool = false) {
        self.files = files
        self.added = added
        self.redacts = redacts
        var starts: [Int] = []
        var count = 0
        for file in files {
            starts.append(count)
            count += file.count
        }
        self.starts = starts
        self.count = count
    }

    /// The person with a number: 1 is the first profile, 0 the user about whom nothing is known.
    subscript(number: Int) -> Person {
        guard let (profiles, place) = file(of: number) else {
            return added.first { $0.number == number } ?? .unknown
        }
        let line = profiles.line(of: place)
        let bytes = profiles.bytes(of: place)
        var person = Person(number, bytes, from: profiles.count > 1 ? "\(profiles.path):\(line)" : profiles.path)
        if redacts { return person.redacted }
        person.file = SourceFile(path: profiles.path, line: line, bytes: bytes)
        return person
    }

    /// Whether there is a person with a number.
    func contains(_ number: Int) -> Bool {
        (0...count).contains(number) || added.contains { $0.number == number }
    }

    /// The profile of the person with a number.
    func profile(_ number: Int) -> Result<Profile, ProfileError> {
        guard let (profiles, place) = file(of: number) else { return self[number].profile }
        let bytes = profiles.bytes(of: place)
        do throws(ProfileError) {
            let profile = try bytes.withUnsafeBufferPointer { json throws(ProfileError) in try Profile(json: json) }
            return .success(redacts ? Profile(sampleOf: profile) : profile)
        } catch {
            return .failure(error)
        }
    }

    /// The JSON of a person's profile; nil if the profile is not in a file, or its values must not be shown.
    func text(of number: Int) -> String? {
        guard !redacts, let (profiles, place) = file(of: number) else { return nil }
        let bytes = profiles.bytes(of: place)
        guard profiles.hasLines, let value = bytes.withUnsafeBufferPointer({ try? Value(json: $0) }) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        var json = JSONWriter(pretty: true)
        value.write(json: &json)
        return json.buffer.string()
    }

    /// The file that contains the profile with a number, and the index of the profile in that file; nil if there is no
    /// such profile.
    private func file(of number: Int) -> (file: ProfileFile, place: Int)? {
        guard number > 0, number <= count else { return nil }
        let index = number - 1
        let file = max(0, (starts.firstIndex { $0 > index } ?? starts.count) - 1)
        return (files[file], index - starts[file])
    }

    /// The numbers of the people in the list: a part of the profiles, those who were added, and last the user about
    /// whom nothing is known.
    func numbers(from first: Int, limit: Int = listLimit) -> [Int] {
        let start = min(max(0, first), count)
        let numbers = (start + 1)..<(min(count, start + limit) + 1)
        return Array(numbers) + added.map(\.number) + [0]
    }

    /// The numbers of the people with the given numbers, names or ids, each only once; nil for a name that nobody has.
    ///
    /// Names are looked up among the first 100,000 profiles and the people who were added.
    func numbers(named names: [String]) -> [(name: String, number: Int?)] {
        var found = names.map { name in
            (name: name, number: Int(name).flatMap { (0...count).contains($0) ? $0 : nil })
        }
        var missing = Set(found.indices.filter { found[$0].number == nil })
        for number in numbers(from: 0, limit: BranchCover.limit) where !missing.isEmpty {
            let known = Set(self.names(of: number).map { $0.lowercased() })
            for index in missing where known.contains(found[index].name.lowercased()) {
                found[index].number = number
                missing.remove(index)
            }
        }
        var known: Set<Int> = []
        return found.filter { $0.number.map { known.insert($0).inserted } ?? true }
    }

    /// The names by which the person with a number can be found: the user's name, the id, and the file name without its
    /// suffix.
    private func names(of number: Int) -> [String] {
        let person = self[number]
        let id = try? person.profile.get().id
        let stem = person.source?.lastPart.split(separator: ".").first.map(String.init)
        return [person.name, id, stem].compactMap(\.self)
    }

    /// The name of a person that is most similar to a given one; nil if none is similar.
    func name(near name: String) -> String? {
        nearestName(to: name, in: numbers(from: 0).flatMap(names))
    }
}
