// SPDX-License-Identifier: MIT

// `import PayloadLinting` is enough to use all types in the API of this module, such as findings, fixes, apps and
// campaigns.
@_exported public import AppDeclarations
@_exported public import DiagnosticSources
@_exported public import PayloadKit
