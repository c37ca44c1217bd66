// SPDX-License-Identifier: MIT

@_exported public import DiagnosticSources
// `import BrazeLiquid` is enough to read all that the API of this module shows: templates, values, and places in them.
@_exported public import LiquidTemplates
