// SPDX-License-Identifier: MIT

/// The sounds in the bundle of an app, and the texts that its pushes can name by their localization keys.
package struct BundleResources: Sendable {
    /// The file of a sound.
    package struct Sound: Sendable, Hashable {
        package var name: String

        /// Why iOS does not play the sound; nil if it does, or if that is not known.
        package var fault: String?

        package init(name: String, fault: String? = nil) {
            self.name = name
            self.fault = fault
        }
    }

    /// The sounds, by their names; nil where they are not known.
    package var sounds: [Sound]?

    /// The number of arguments that the text of each localization key takes; nil where the keys are not known.
    package var strings: [String: Int]?

    package init(sounds: [Sound]?, strings: [String: Int]?) {
        self.sounds = sounds
        self.strings = strings
    }
}
