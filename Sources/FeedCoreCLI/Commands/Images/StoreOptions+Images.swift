import FeedCore

extension StoreOptions {
  /// Opens the image store, or makes one where there is none.
  ///
  /// - Parameter byteCap: what its cap is to be from now on; nil leaves it.
  func openImages(byteCap: Int? = nil) throws(Failure) -> ImageStore {
    do throws(Failure) {
      return try openImages(ImageStore.Options(byteCap: byteCap))
    } catch  where error.status == .noInput {
      // A path at which no store can be made is a failure of output, not of input.
      throw Failure(.failedIO, error.message)
    }
  }

  /// Opens an image store that must be there.
  func openExistingImages() throws(Failure) -> ImageStore {
    try openImages(ImageStore.Options(createsMissing: false))
  }

  private func openImages(_ options: ImageStore.Options) throws(Failure) -> ImageStore {
    let directory = try directory
    endOnDamage(directory)
    do throws(StoreError) {
      return try ImageStore.open(at: directory, options: options)
    } catch {
      throw Failure(error)
    }
  }
}
