// SPDX-License-Identifier: MIT

package import PayloadKit

/// A branch in the templates of a campaign, such as one of `{% else %}`, with the people who take it.
struct Branch: Sendable {
    /// The text that identifies the branch when the page's form is sent.
    let key: String

    /// The branch in words, as ``CoverageMap/Text/words(ofBranch:)`` returns them.
    let label: String

    /// The conditions under which a user takes the branch, the outermost condition first.
    let conditions: [String]

    /// The attributes and variables that are read by the conditions.
    let reads: [String]

    /// The place of the branch in the author's files.
    let place: SourcePlace

    /// The number of profiles that take the branch.
    let takers: Int

    /// The people in the list who take the branch.
    let people: [Person]

    /// Whether anybody takes the branch.
    var isReached: Bool { takers > 0 || !people.isEmpty }
}

/// The branches of a campaign.
struct Branches: Sendable {
    /// The branches, in the order of the campaign.
    let all: [Branch]

    /// The number of profiles that were rendered to count how many of them take each branch.
    let profileCount: Int

    /// Collects the branches.
    ///
    /// - Parameters:
    ///   - map: the templates with their branches.
    ///   - coverage: the branches that profiles take; nil to count only the people in the list.
    ///   - recipients: the people in the list.
    init(_ map: CoverageMap, _ coverage: Coverage?, _ recipients: [Recipient]) {
        let branches = recipients.map { Set($0.record?.branches ?? []) }
        let isProfile = recipients.map { $0.person.number > 0 }
        profileCount = coverage?.messages ?? isProfile.count { $0 }
        all = map.branches.map { branch in
            let text = map.text(ofBranch: branch)
            let takers = recipients.indices.filter { branches[$0].contains(branch) }
            return Branch(
                key: Self.key(of: branch, in: text),
                label: text.words(ofBranch: branch),
                conditions: text.conditions(ofBranch: branch),
                reads: text.reads(ofBranch: branch),
                place: text.place(ofBranch: branch),
                takers: coverage?.takers[branch] ?? takers.count { isProfile[$0] },
                people: takers.map { recipients[$0].person }
            )
        }
    }

    private static func key(of branch: Int, in text: CoverageMap.Text) -> String {
        "\(text.source.field)@\(text.branch(branch).range.start).\(text.branch(branch).kind.rawValue)"
    }

    /// The index in a map of the branch that a form names; nil if the map does not have it.
    static func branch(_ key: String, in map: CoverageMap) -> Int? {
        map.branches.first { self.key(of: $0, in: map.text(ofBranch: $0)) == key }
    }
}

/// How far the message of one user got in a line of a file.
enum LineMark: Int, Sendable {
    /// No part of the line was rendered.
    case missed
    /// Some part of the line was rendered.
    case passed
    /// The message ended in this line.
    case ended
}

extension CoverageMap.Text {
    /// The marks of the text's lines, by their line numbers in the file.
    ///
    /// - Parameters:
    ///   - branches: the branches that a message took.
    ///   - error: the place where rendering failed; nil if it did not fail.
    /// - Returns: a mark for each line that contains something to render.
    func marks(_ branches: Set<Int>, failedAt error: SourcePlace?) -> [Int: LineMark] {
        var marks: [Int: LineMark] = [:]
        let stop = self.branches.first { branch($0).kind == .stop && branches.contains($0) }.map {
            branch($0).range.start
        }
        let fault = error.flatMap { $0.file.path == source.file.path ? $0.range.start : nil }
        for node in map.nodes {
            let place = source.place(of: node.range).range
            var mark: LineMark = branches.contains(firstBranch + node.branch) ? .passed : .missed
            if mark == .passed, let stop {
                if node.range.start == stop { mark = .ended } else if node.range.start > stop { mark = .missed }
            }
            if mark == .passed, let fault {
                if place.start > fault { mark = .missed } else if place.end > fault { mark = .ended }
            }
            for line in lines(of: node) where mark.rawValue >= marks[line]?.rawValue ?? 0 { marks[line] = mark }
        }
        return marks
    }
}

extension CoverageMap.Text {
    /// The label of a branch, or for some kinds of branches, words that say when the branch is taken.
    package func words(ofBranch index: Int) -> String {
        let branch = branch(index)
        let label = label(ofBranch: index)
        let written = label.drop { $0 != ":" }.dropFirst(2)
        return switch branch.kind {
        case .noBranch: "none of the choices of \(written)"
        case .value: "\(written) has a value"
        case .replacement: "\(written) is missing, the default is used"
        case .elements, .noElements, .template, .branch, .otherwise, .stop: label
        }
    }
}
