// SPDX-License-Identifier: MIT

public import ArgumentParser
public import PayloadKit

/// `--format` of `render` takes the names of the library's forms.
extension PayloadFormat: ExpressibleByArgument {}
