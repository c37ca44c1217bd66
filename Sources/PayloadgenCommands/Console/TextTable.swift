// SPDX-License-Identifier: MIT

import DiagnosticSources

/// A table of text, with aligned columns.
struct TextTable {
    private var rows: [[ShownText]] = []

    mutating func add(_ cells: String...) { rows.append(cells.map { ShownText($0) }) }

    /// The rows, each on its own line; the last column is not padded.
    var text: ShownText {
        var widths = ColumnWidths()
        for row in rows { widths.measure(row) }
        return rows.map { widths.line($0) }.joined()
    }
}

/// The column widths of a table whose rows need not all be in memory.
struct ColumnWidths {
    /// The maximum width of a column; a longer cell shifts the rest of its row.
    private let limit: Int
    private var widths: [Int] = []

    init(limit: Int = .max) { self.limit = limit }

    /// Widens the columns to fit a row.
    mutating func measure(_ row: [ShownText]) {
        for (column, cell) in row.dropLast().enumerated() {
            if column == widths.count { widths.append(0) }
            widths[column] = max(widths[column], min(limit, cell.columnCount))
        }
    }

    /// A row as a line of text; the last column is not padded.
    func line(_ row: [ShownText]) -> ShownText {
        let padded = row.dropLast().enumerated().map { column, cell in
            let width = column < widths.count ? widths[column] : 0
            return cell.columnCount > width ? cell + "  " : cell.padded(to: width + 2)
        }
        return padded.joined() + (row.last ?? "") + "\n"
    }
}
