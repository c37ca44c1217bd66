// SPDX-License-Identifier: MIT

package import Liquid
package import SourceText

extension LiquidError {
    /// The rule that an error in reading or rendering a template is reported under.
    package var rule: RuleID {
        switch topic {
        case .unknownTag?: .unknownTag
        case .dynamicAbortReason?: .dynamicAbortReason
        default: code == .syntax ? .liquidSyntax : .renderError
        }
    }
}
