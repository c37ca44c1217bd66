// SPDX-License-Identifier: MIT
// swift-format-ignore-file

// The signatures of UIKit that the examples use, as Apple documents them; Interface Builder's attributes are left out.

@_exported import Foundation

@MainActor open class UIResponder: NSObject {}

@MainActor open class UIView: UIResponder {}

@MainActor open class UIControl: UIView {
    public struct State: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let normal = State([])
    }
}

@MainActor open class UIButton: UIControl {
    open func setTitle(_ title: String?, for state: UIControl.State) {}
}

@MainActor open class UILabel: UIView { open var text: String? }

@MainActor open class UITextField: UIControl { open var text: String? }

@MainActor open class UIProgressView: UIView { open var progress: Float = 0 }

@MainActor open class UIViewController: UIResponder {}

@MainActor open class UIApplication: UIResponder {
    public struct LaunchOptionsKey: Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
}

extension UIApplicationDelegate { public static func main() {} }
