// SPDX-License-Identifier: MIT

// `import BrazeLiquid` is enough to read all that the API of this module shows: templates, values, and places in them.
@_exported public import Liquid
@_exported public import SourceText
