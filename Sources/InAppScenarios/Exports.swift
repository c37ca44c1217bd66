// SPDX-License-Identifier: MIT

// What the API of this module shows is reachable with `import InAppScenarios` alone: scenarios and what becomes of them,
// values and times, places and findings.
@_exported public import BrazeLiquid
@_exported public import InAppMessages
@_exported public import Liquid
@_exported public import SourceText
