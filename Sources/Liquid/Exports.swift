// SPDX-License-Identifier: MIT

// `import Liquid` is enough to read all that the API of this module shows: places in templates, output, and JSON.
@_exported public import JSON
@_exported public import SourceText
