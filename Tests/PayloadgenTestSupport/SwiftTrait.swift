// SPDX-License-Identifier: MIT

import SwiftSources
package import Testing

extension Trait where Self == ConditionTrait {
    /// Runs a test only in a build that reads Swift code; otherwise the test is shown as skipped, with the reason.
    package static var needsSwift: Self { .enabled(if: ParsedCode.readsSwift, "needs the trait SwiftSources") }
}
