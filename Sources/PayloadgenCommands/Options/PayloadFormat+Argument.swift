// SPDX-License-Identifier: MIT

public import ArgumentParser
public import PayloadKit

/// `--format` of `render` accepts the names of the library's formats.
extension PayloadFormat: ExpressibleByArgument {}
