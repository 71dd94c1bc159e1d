#if Server
  package import FeedFeature
  package import FeedStorage
  package import Logging

  #if canImport(FoundationEssentials)
    package import FoundationEssentials
  #else
    package import Foundation
  #endif

  /// What a server serves, where, and within which limits.
  package struct ServerConfiguration: Sendable {
    /// Where HTTP is spoken.
    package var http: [ListenAddress] = []
    /// Sockets that listen already, at which HTTP is spoken as well.
    package var httpSockets: [InheritedSocket] = []
    /// Where RESP is spoken.
    package var resp: [ListenAddress] = []
    /// Sockets that listen already, at which RESP is spoken as well.
    package var respSockets: [InheritedSocket] = []
    var speaksHTTP: Bool { !http.isEmpty || !httpSockets.isEmpty }
    var speaksRESP: Bool { !resp.isEmpty || !respSockets.isEmpty }
    /// What links to this server begin with, such as `https://feeds.example.org`, for a server behind
    /// a proxy; nil for `http` and the host that the client asked.
    package var publicURL: String?
    /// The connections that each of the two protocols has at once.
    package var maximumConnections = 4096
    /// The memory for answers that are kept to be given again, of both protocols together.
    package var cacheBytes = 64 << 20
    /// What each protocol that is spoken has of it.
    var cacheBytesOfProtocol: Int { speaksHTTP && speaksRESP ? cacheBytes / 2 : cacheBytes }
    /// How many answers may be kept as open files.
    var lentAnswers = 64
    /// How long an answer may take to begin, and its reader to take more of it.
    package var requestTimeout = Duration.seconds(30)
    /// How long an answer waits for a service: some time is left to say that it failed.
    var patience: Duration { requestTimeout * 3 / 4 }
    /// How long a service may take for a whole feed, also when nobody waits for it any more.
    package var loadTimeout = Duration.seconds(900)
    /// Who is let in; nil where everybody is.
    package var credentials: Credentials?
    /// The services that feeds come from.
    package var origins: [FeedName: URL] = [:]
    /// What the cached feeds are worth; those of the apps where none is named.
    package var policies: [FeedName: CachePolicy] = [:]
    /// How long a feed that came from its service is served without asking again.
    package var freshness = Duration.seconds(60)
    /// How long a service that has just answered, or failed, is left alone, also by those who want
    /// the latest: anybody may say so.
    package var respite = Duration.seconds(5)
    /// How long requests that are under way may take once the server has been asked to stop.
    package var drainDeadline = Duration.seconds(10)
    /// Where the server tells what happens.
    package var logger = Logger(label: "feedcore.serve")

    package init() {}
  }
#endif
