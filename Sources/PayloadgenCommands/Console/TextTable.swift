// SPDX-License-Identifier: MIT

import DiagnosticSources

/// A table as text, whose columns are aligned.
struct TextTable {
    private var rows: [[ShownText]] = []

    mutating func add(_ cells: String...) { rows.append(cells.map { ShownText($0) }) }

    /// The rows as lines of text; the last column is not padded.
    var text: ShownText {
        var widths = ColumnWidths()
        for row in rows { widths.measure(row) }
        return rows.map { widths.line($0) }.joined()
    }
}

/// The widths of a table's columns, for a table whose rows are not all in memory.
struct ColumnWidths {
    /// The maximum width of a column.
    ///
    /// A longer cell moves the rest of its row to the right.
    private let limit: Int
    private var widths: [Int] = []

    init(limit: Int = .max) { self.limit = limit }

    /// Makes the columns wide enough for a row.
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
