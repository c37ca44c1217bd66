// SPDX-License-Identifier: MIT

// `import PayloadKit` is enough to read all that the API of this module shows: values and times, contexts, places and
// findings, and what an app declares.
@_exported public import AppBundles
@_exported public import BrazeLiquid
@_exported public import JSON
@_exported public import Liquid
@_exported public import SourceText
