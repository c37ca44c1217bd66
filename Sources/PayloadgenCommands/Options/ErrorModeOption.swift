// SPDX-License-Identifier: MIT

import ArgumentParser
import LiquidTemplates

/// The option `--error-mode`.
enum ErrorModeOption: String, ExpressibleByArgument, CaseIterable {
    case lax, strict

    /// The mode of the engine for this value.
    ///
    /// With `strict`, every expression is checked too.
    var mode: ErrorMode {
        switch self {
        case .lax: .lax
        case .strict: .strict2
        }
    }
}
