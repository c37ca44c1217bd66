// SPDX-License-Identifier: MIT

// These modules declare types that this module's API uses: scenarios and their results, values and times, places and
// findings. Clients see them with `import InAppScenarios` alone.
@_exported public import BrazeLiquid
@_exported public import DiagnosticSources
@_exported public import InAppMessages
@_exported public import LiquidTemplates
