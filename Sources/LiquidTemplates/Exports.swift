// SPDX-License-Identifier: MIT

@_exported public import DiagnosticSources
// With these, `import LiquidTemplates` is enough to use all types in the API of this module: source ranges, byte
// buffers and JSON.
@_exported public import JSONTexts
