// SPDX-License-Identifier: MIT

@_exported public import DiagnosticSources
// With `import BrazeLiquid` alone, clients see all types of this module's API: templates, values and source ranges.
@_exported public import LiquidTemplates
