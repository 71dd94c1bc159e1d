#if Server
  import HTTPTypes
  import NIOCore
  import Synchronization

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Admits clients by the field `Authorization`, and delays those that guess.
  ///
  /// A connection that was admitted stays admitted with the same credentials. Guesses from its
  /// address then do not delay it.
  final class HTTPAuthentication: Sendable {
    private struct Login {
      /// The identity that was admitted last.
      var identity: Credentials.Identity?
      /// The failures since then.
      var failures = 0
    }

    private let server: ServerContext
    private let logins = Mutex<[ObjectIdentifier: Login]>([:])

    init(_ server: ServerContext) { self.server = server }

    /// Admits a request, after a delay if there were failures before.
    ///
    /// - Throws: ``Problem`` 401 or 429; `CancellationError` if the client has disconnected
    func admit(_ fields: HTTPFields, on channel: any Channel) async throws {
      guard server.authenticator.credentials.value != nil else { return }
      // Most clients first send a request without credentials, which guesses nothing.
      guard let identity = Credentials.Identity(fields) else { throw Self.unauthorized }
      var login = login(of: channel)
      if login.identity == identity, server.authenticator.credentials.admit(identity) { return }
      let verdict = server.authenticator.decide(
        about: [identity], from: ClientAddress(channel.remoteAddress),
        afterFailures: login.failures
      ).verdict
      if verdict.delay > .zero { try await Task.sleep(for: verdict.delay) }
      switch verdict.result {
      case .accepted:
        login = Login(identity: identity)
        remember(login, of: channel)
      case .wrong:
        login.failures += 1
        remember(login, of: channel)
        throw Self.unauthorized
      case .tooMany:
        throw Problem(
          .tooManyRequests, "too many credentials of this address were wrong; try again later",
          fields: [.retryAfter: "1"], refusal: .tooManyLogins)
      }
    }

    private static var unauthorized: Problem {
      Problem(
        .unauthorized, "credentials are required",
        fields: [.wwwAuthenticate: "Basic realm=\"feedcore\", charset=\"UTF-8\", Bearer"],
        refusal: .unauthorized)
    }

    private func login(of channel: any Channel) -> Login {
      logins.withLock { $0[ObjectIdentifier(channel)] } ?? Login()
    }

    private func remember(_ login: Login, of channel: any Channel) {
      let key = ObjectIdentifier(channel)
      let isFirst = logins.withLock { $0.updateValue(login, forKey: key) == nil }
      guard isFirst else { return }
      channel.closeFuture.whenComplete { [self] _ in logins.withLock { $0[key] = nil } }
    }
  }

  extension Credentials.Identity {
    /// What a request presents; nil if it has no credentials of the Basic or Bearer scheme.
    init?(_ fields: HTTPFields) {
      let words = (fields[.authorization] ?? "").split(separator: " ", maxSplits: 1)
      guard words.count == 2 else { return nil }
      let value = words[1].trimmingBlanks
      switch words[0].lowercased() {
      case "bearer": self.init(token: value.utf8)
      case "basic":
        guard let pair = Data(base64Encoded: String(value)) else { return nil }
        self.init(nameAndPassword: pair)
      default: return nil
      }
    }
  }
#endif
