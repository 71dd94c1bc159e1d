/// The commands that need a package trait.
enum CommandTraits {
  /// The trait of each. Without its trait `images get` only reads stored images, and the others are
  /// absent. scripts/feedcore reads the names, each of which is on a line of its own.
  static let traits = [
    "comments": "Remote",
    "images get": "Remote",
    "images prefetch": "Remote",
    "load": "Remote",
    "serve": "Server",
  ]
}
