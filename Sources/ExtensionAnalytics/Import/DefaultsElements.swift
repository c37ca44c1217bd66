// SPDX-License-Identifier: MIT

package import BinaryPlists
import DiagnosticSources

/// The array elements that Braze's guides for notification extensions keep in `UserDefaults`; see ``DefaultsImport``.
package struct DefaultsElements: Sendable {
    /// The elements of each array, by the key of the array in `UserDefaults`.
    package private(set) var arrays: [DefaultsImport.Key: [PlistValue]] = [:]

    /// The keys that cannot be read, such as a repeated key, or a key whose value is not an array.
    private(set) var faults: [DefaultsImport.Fault] = []

    /// Reads the guides' keys.
    ///
    /// - Parameter values: returns the values of a key; more than one if the key is repeated.
    package init(_ values: (DefaultsImport.Key) throws(ElementError) -> [PlistValue]) {
        for key in DefaultsImport.Key.allCases {
            do throws(ElementError) {
                let values = try values(key)
                // If a key is repeated, it is unknown which value an app reads, and which value remains if one is
                // removed.
                guard values.count <= 1 else { throw ElementError("the key is repeated") }
                guard let value = values.first else { continue }
                guard case .array(let elements) = value else { throw ElementError("expected an array") }
                arrays[key] = elements
            } catch {
                faults.append(DefaultsImport.Fault(key: key, index: nil, reason: error.reason))
            }
        }
    }
}

/// Why an element or a key cannot become a record, such as "the key is repeated": lower case, no full stop.
package struct ElementError: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
