#if Server
  import HTTPTypes

  // Parameters that a path does not know.
  extension APIRequest {
    /// The maximum number of ignored parameters that a response names.
    private static let maximumNames = 16

    /// Refuses a parameter that a path of this server does not know, and a second value of one that
    /// has one value: it would otherwise silently change nothing. The apps' paths accept any, as
    /// their services do.
    ///
    /// - Throws: ``Problem`` 400 with the parameters that the path knows
    func checkParameters(of route: Route) throws(Problem) {
      guard !route.isOfApp, let known = route.parameters else { return }
      var names: Set<String> = []
      for item in target.items {
        guard known.contains(item.name) else {
          let list = known.isEmpty ? "no parameters" : "only " + known.joined(separator: ", ")
          throw Problem(
            .badRequest,
            "there is no parameter \(item.name.prefix(64).debugDescription); \(route.rawValue) has"
              + " \(list)")
        }
        guard names.insert(item.name).inserted || Route.repeatedParameters.contains(item.name)
        else { throw .parameter(item.name, "given once") }
      }
    }

    /// The parameters that an app's path does not know.
    func ignoredParameters(of route: Route) -> [(name: String, value: String)] {
      guard route.isOfApp, let known = route.parameters else { return [] }
      return target.items.filter { !known.contains($0.name) }
    }

    /// The names of ignored parameters for `X-FeedCore-Ignored`, escaped; nil if there are none.
    func ignoredNames(of route: Route) -> String? {
      var names: [String] = []
      for item in ignoredParameters(of: route) {
        let name = String(item.name.prefix(64)).queryEscaped
        if !names.contains(name), names.count < Self.maximumNames { names.append(name) }
      }
      return names.isEmpty ? nil : names.joined(separator: ", ")
    }
  }
#endif
