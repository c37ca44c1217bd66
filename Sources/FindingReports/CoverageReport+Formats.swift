// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

extension CoverageReport {
    /// Writes the coverage as JSON, in version 1 of this project's format.
    func writeJSON(into buffer: inout ByteBuffer) {
        buffer.writeJSON(of: tool) { json in
            json.member("unit", unit.rawValue)
            json.member("messages", messages)
            json.object("branches") { json in
                json.member("total", branchCount)
                json.member("taken", takenCount)
            }
            json.objects("files", files) { json, file in
                json.member("file", file.source.path)
                json.member("messages", file.messages)
                json.object("branches") { json in
                    json.member("total", file.branches.count)
                    json.member("taken", file.takenCount)
                }
                json.objects("arms", file.branches) { $0.branch($1) }
                json.objects("lines", file.countedLines) { json, line in
                    json.member("line", line.number)
                    json.member("times", line.times)
                }
            }
        }
    }

    /// Writes a trace file of LCOV, as specified for `geninfo`.
    ///
    /// The branches of one decision form a block; if nothing reached the decision, `-` is written instead of the
    /// counts.
    func writeLCOV(into buffer: inout ByteBuffer) {
        for file in files {
            buffer.append("TN:\nSF:")
            buffer.append(file.source.path.withoutLineBreaks)
            buffer.append("\n")
            let lines = file.countedLines
            for (decision, branches) in decisions(of: file) {
                let isReached = file.times(ofDecision: decision) > 0
                for (number, branch) in branches.enumerated() {
                    // All branches of a decision are reported on the line of the first one, as compilers report them.
                    let line = branches[0].place.start.line
                    buffer.append("BRDA:\(line),\(decision),\(number),\(isReached ? String(branch.times) : "-")\n")
                }
            }
            buffer.append("BRF:\(file.branches.count)\nBRH:\(file.takenCount)\n")
            for line in lines { buffer.append("DA:\(line.number),\(line.times)\n") }
            buffer.append("LF:\(lines.count)\nLH:\(lines.count { $0.times > 0 })\nend_of_record\n")
        }
    }

    /// Writes Cobertura XML, version 4: a package for each folder and a class for each file.
    func writeCobertura(into buffer: inout ByteBuffer) {
        let counted = files.map { ($0, $0.countedLines) }
        let lines = counted.reduce(0) { $0 + $1.1.count }
        let hit = counted.reduce(0) { $0 + $1.1.count { $0.times > 0 } }
        buffer.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
            <coverage\(rates(hit, lines, takenCount, branchCount)) lines-covered="\(hit)" lines-valid="\(lines)" \
            branches-covered="\(takenCount)" branches-valid="\(branchCount)" complexity="0" version="\(tool.version)" \
            timestamp="0">
              <sources>
                <source>.</source>
              </sources>
              <packages>

            """
        )
        let folders = Dictionary(grouping: counted) { Self.folder(of: $0.0.source.path) }
        for (folder, members) in folders.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            let all = members.reduce(0) { $0 + $1.1.count }
            let covered = members.reduce(0) { $0 + $1.1.count { $0.times > 0 } }
            let branches = members.reduce(0) { $0 + $1.0.branches.count }
            let taken = members.reduce(0) { $0 + $1.0.takenCount }
            buffer.append("    <package")
            buffer.appendAttribute("name", folder)
            buffer.append("\(rates(covered, all, taken, branches)) complexity=\"0\">\n      <classes>\n")
            for (file, lines) in members { write(file, lines, into: &buffer) }
            buffer.append("      </classes>\n    </package>\n")
        }
        buffer.append("  </packages>\n</coverage>\n")
    }

    private func write(_ file: File, _ lines: [(number: Int, times: Int)], into buffer: inout ByteBuffer) {
        buffer.append("        <class")
        buffer.appendAttribute("name", file.source.path.split(separator: "/").last.map(String.init) ?? "")
        buffer.appendAttribute("filename", file.source.path)
        let rates = rates(lines.count { $0.times > 0 }, lines.count, file.takenCount, file.branches.count)
        buffer.append("\(rates) complexity=\"0\">\n          <methods/>\n          <lines>\n")
        // All branches of a decision are reported on the line of its first branch.
        let decisions = Dictionary(grouping: decisions(of: file)) { $0.branches[0].place.start.line }
        for line in lines {
            buffer.append("            <line number=\"\(line.number)\" hits=\"\(line.times)\"")
            guard let here = decisions[line.number] else {
                buffer.append(" branch=\"false\"/>\n")
                continue
            }
            let branches = here.flatMap(\.branches)
            buffer.append(" branch=\"true\" condition-coverage=\"\(Self.fraction(branches))\">\n")
            buffer.append("              <conditions>\n")
            for (number, decision) in here.enumerated() {
                let share = Self.percent(decision.branches)
                buffer.append(
                    "                <condition number=\"\(number)\" type=\"jump\" coverage=\"\(share)%\"/>\n"
                )
            }
            buffer.append("              </conditions>\n            </line>\n")
        }
        buffer.append("          </lines>\n        </class>\n")
    }

    /// The decisions of a file with their branches, in the order of their first branches.
    private func decisions(of file: File) -> [(decision: Int, branches: [Branch])] {
        var order: [Int] = []
        var branches: [Int: [Branch]] = [:]
        for branch in file.branches {
            if branches[branch.decision] == nil { order.append(branch.decision) }
            branches[branch.decision, default: []].append(branch)
        }
        return order.map { ($0, branches[$0] ?? []) }
    }

    private func rates(_ lines: Int, _ allLines: Int, _ branches: Int, _ allBranches: Int) -> String {
        " line-rate=\"\(Self.rate(lines, allLines))\" branch-rate=\"\(Self.rate(branches, allBranches))\""
    }

    /// A part divided by the whole, with four decimals and rounded down; 1 if the part is the whole, or if there is no
    /// whole.
    private static func rate(_ part: Int, _ all: Int) -> String {
        guard all > 0, part < all else { return "1" }
        let digits = String(part * 10_000 / all)
        return "0." + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }

    private static func percent(_ branches: [Branch]) -> Int {
        branches.count { $0.takers > 0 } * 100 / Swift.max(1, branches.count)
    }

    private static func fraction(_ branches: [Branch]) -> String {
        "\(percent(branches))% (\(branches.count { $0.takers > 0 })/\(branches.count))"
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}

extension String {
    /// The text with spaces instead of line breaks, for formats in which a line ends an entry.
    fileprivate var withoutLineBreaks: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }))
    }
}

extension JSONWriter {
    fileprivate mutating func branch(_ branch: CoverageReport.Branch) {
        member("kind", branch.kind)
        member("text", branch.label)
        ends(of: branch.place)
        member("decision", branch.decision)
        member("times", branch.times)
        member("messages", branch.takers)
        array("conditions", branch.conditions) { $0.string($1) }
        array("reads", branch.reads) { $0.string($1) }
    }
}
