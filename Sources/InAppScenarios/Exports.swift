// SPDX-License-Identifier: MIT

// With `import InAppScenarios` alone, clients see all types of this module's API: scenarios and their results, values
// and times, places and findings.
@_exported public import BrazeLiquid
@_exported public import DiagnosticSources
@_exported public import InAppMessages
@_exported public import LiquidTemplates
