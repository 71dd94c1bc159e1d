import FeedCore

extension StoreOptions {
  /// Opens the image store, or creates it.
  ///
  /// - Parameter byteCap: the new cap; nil keeps the present one.
  func openImages(byteCap: Int? = nil) throws(Failure) -> ImageStore {
    do throws(Failure) {
      return try openImages(ImageStore.Options(byteCap: byteCap))
    } catch  where error.status == .noInput {
      // A path at which no store can be created is a failure of output, not of input.
      throw Failure(.failedIO, error.message)
    }
  }

  /// Opens an existing image store.
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
