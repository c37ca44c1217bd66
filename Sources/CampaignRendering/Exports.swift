// SPDX-License-Identifier: MIT

// `import CampaignRendering` is enough to read all that the API of this module shows: values and times, contexts, places
// and findings, and what an app declares.
@_exported public import AppDeclarations
@_exported public import BrazeLiquid
@_exported public import DiagnosticSources
@_exported public import JSONTexts
@_exported public import LiquidTemplates
