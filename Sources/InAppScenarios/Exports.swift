// SPDX-License-Identifier: MIT

// `import InAppScenarios` is enough to read all that the API of this module shows: scenarios and their results, values
// and times, places and findings.
@_exported public import BrazeLiquid
@_exported public import DiagnosticSources
@_exported public import InAppMessages
@_exported public import LiquidTemplates
