// SPDX-License-Identifier: MIT

import Files
import PayloadKit

/// The users that the page can show, read when they are needed.
struct People: Sendable {
    private let files: [ProfileFile]
    /// The number of profiles before each file.
    private let starts: [Int]
    private let redacts: Bool

    /// The number of profiles; the user of whom nothing is known is not one of them.
    let count: Int

    /// The most people in one list.
    static let listLimit = 200

    init(_ files: [ProfileFile], redacts: Bool = false) {
        self.files = files
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

    /// The person with a number: 0 is the user of whom nothing is known, 1 the first profile.
    subscript(number: Int) -> Person {
        guard number > 0, number <= count else { return .unknown }
        let index = number - 1
        let file = max(0, (starts.firstIndex { $0 > index } ?? starts.count) - 1)
        let profiles = files[file]
        let place = index - starts[file]
        let source = profiles.hasLines ? "\(profiles.path):\(profiles.line(of: place))" : profiles.path
        let person = Person(number, profiles.bytes(of: place), from: source)
        return redacts ? person.redacted : person
    }

    /// The numbers of a part of the list; the user of whom nothing is known is the last one.
    func numbers(from first: Int, limit: Int = listLimit) -> [Int] {
        let start = min(max(0, first), count)
        let numbers = (start + 1)..<(min(count, start + limit) + 1)
        return Array(numbers) + [0]
    }

    /// The numbers of the people with the given numbers, names or ids.
    func numbers(named names: [String]) -> [Int] {
        var found: [Int] = []
        for name in names {
            if let number = Int(name), (0...count).contains(number) {
                found.append(number)
                continue
            }
            // Names are compared among the people that a list would show.
            let match = numbers(from: 0).first { number in
                let person = self[number]
                let id = try? person.profile.get().id
                let stem = person.source?.lastPart.split(separator: ".").first.map(String.init)
                return [person.name, id, stem].contains { $0?.lowercased() == name.lowercased() }
            }
            if let match { found.append(match) }
        }
        return found
    }
}
