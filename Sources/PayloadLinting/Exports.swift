// SPDX-License-Identifier: MIT

// `import PayloadLinting` is enough to read all that the API of this module shows: findings and their fixes, apps, campaigns.
@_exported public import AppDeclarations
@_exported public import DiagnosticSources
@_exported public import PayloadKit
