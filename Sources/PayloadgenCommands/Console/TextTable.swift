// SPDX-License-Identifier: MIT

/// Rows of text whose columns stand under each other.
struct TextTable {
    private var rows: [[String]] = []

    mutating func add(_ cells: String...) { rows.append(cells) }

    /// The rows, each on a line; the last column is not padded.
    var text: String {
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? $0[column].unicodeScalars.count : 0 }.max() ?? 0
        }
        var text = ""
        for row in rows {
            for (column, cell) in row.enumerated() {
                text += cell
                guard column < row.count - 1 else { break }
                text += String(repeating: " ", count: widths[column] - cell.unicodeScalars.count + 2)
            }
            text += "\n"
        }
        return text
    }
}
