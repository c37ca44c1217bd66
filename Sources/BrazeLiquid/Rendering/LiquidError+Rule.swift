// SPDX-License-Identifier: MIT

package import DiagnosticSources
package import LiquidTemplates

extension RuleID {
    package static let dynamicAbortReason = RuleID(
        "dynamic-abort-reason", .error, "a reason of abort_message that holds Liquid"
    )
}

extension LiquidError {
    /// The rule under which an error in reading or rendering a template is reported.
    package var rule: RuleID {
        switch topic {
        case .unknownTag?: .unknownTag
        case .dynamicAbortReason?: .dynamicAbortReason
        default:
            switch code {
            case .syntax: .liquidSyntax
            case .undefinedFilter: .unknownFilter
            default: .renderError
            }
        }
    }
}
