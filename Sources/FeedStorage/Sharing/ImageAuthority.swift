/// The shared store that decides about the images of its local copies.
///
/// An ``ImageStore`` with an authority is such a copy: a cache of the shared images with its own
/// size. The calls block their thread unless they say otherwise.
package protocol ImageAuthority: AnyObject, Sendable {
  /// Compares the copy of an image with the shared store. If the shared store has another state of
  /// the image, copies the image or removes its copy. Does nothing for a short time after a
  /// comparison.
  ///
  /// - Throws: an error of the shared store; the copy then stays as it is
  func refreshImage(_ url: String, in images: ImageStore) throws(StoreError)

  /// Whether ``refreshImage(_:in:)`` would ask the shared store. Does not block.
  func isImageStale(_ url: String) -> Bool

  /// Lets the next read compare an image.
  func forgetImage(_ url: String)

  /// Allows reading, for a while, a copy that the shared store lacks.
  func keepImageCopy(_ url: String)

  /// Stores an image, replacing one with the same URL.
  ///
  /// - Parameter patience: how long to wait while the shared store is unavailable; nil for its own
  ///   limit
  func publish(
    _ image: ImageDescription, _ bytes: RawSpan, patience: Duration?
  ) throws(StoreError)

  /// Updates the metadata of an image.
  ///
  /// - Parameter checksum: the checksum of its bytes; nil for any
  /// - Returns: the new description; nil if there is no such image
  func renewImage(
    _ url: String, of checksum: UInt64?, _ metadata: ImageMetadata, now: Double,
    patience: Duration?
  ) throws(StoreError) -> ImageDescription?

  /// Removes an image.
  ///
  /// - Returns: false if there is none with this URL
  func removeImage(_ url: String, patience: Duration?) throws(StoreError) -> Bool
}
