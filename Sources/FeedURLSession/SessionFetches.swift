import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The requests in progress of a session, whose delegate it is.
///
/// It is the delegate of the session and not of each task: FoundationNetworking does not call the
/// delegate of a task for its data.
final class SessionFetches: NSObject, URLSessionDataDelegate {
  private let fetches = Mutex<[Int: SessionFetch]>([:])

  func start(_ request: URLRequest, _ session: URLSession) -> SessionFetch {
    let task = session.dataTask(with: request)
    let fetch = SessionFetch(task)
    fetches.withLock { $0[task.taskIdentifier] = fetch }
    task.resume()
    return fetch
  }

  private func fetch(_ task: URLSessionTask) -> SessionFetch? {
    fetches.withLock { $0[task.taskIdentifier] }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The client follows redirects itself, because it decides which fields to forward.
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let head = response as? HTTPURLResponse
    if let head { fetch(dataTask)?.receive(head) }
    completionHandler(head == nil ? .cancel : .allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    fetch(dataTask)?.receive(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let fetch = fetches.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
      return
    }
    // A registered protocol or a redirect that is not followed may not announce its response.
    if let response = task.response as? HTTPURLResponse { fetch.receive(response) }
    fetch.complete(error)
  }
}
