// SPDX-License-Identifier: MIT

@_exported public import DiagnosticSources
// `import LiquidTemplates` is enough to read all that the API of this module shows: places in templates, output, and JSON.
@_exported public import JSONTexts
