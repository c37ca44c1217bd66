// SPDX-License-Identifier: MIT

/// The sounds in an app's bundle, and the localized texts that pushes can name by their keys.
package struct BundleResources: Sendable {
    /// A sound file in an app's bundle.
    package struct Sound: Sendable, Hashable {
        package var name: String

        /// The reason why iOS does not play the sound; nil if iOS plays it, or if that is not known.
        package var fault: String?

        package init(name: String, fault: String? = nil) {
            self.name = name
            self.fault = fault
        }
    }

    /// The sounds of the app; nil if they are not known.
    package var sounds: [Sound]?

    /// The number of arguments that each localized text takes, by its localization key; nil if the keys are not known.
    package var strings: [String: Int]?

    package init(sounds: [Sound]?, strings: [String: Int]?) {
        self.sounds = sounds
        self.strings = strings
    }
}
