// SPDX-License-Identifier: MIT

import SourceText

/// Rows of text for people, in columns.
struct TextTable {
    private var rows: [[ShownText]] = []

    mutating func add(_ cells: String...) { rows.append(cells.map { ShownText($0) }) }

    /// The rows, each on a line; the last column is not padded.
    var text: ShownText {
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? $0[column].columnCount : 0 }.max() ?? 0
        }
        return rows.map { row in
            let padded = row.dropLast().enumerated().map { column, cell in cell.padded(to: widths[column] + 2) }
            return padded.joined() + (row.last ?? "") + "\n"
        }.joined()
    }
}
