#if Server
  import HTTPTypes

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension Gatekeeper {
    /// Admits a client by its `Authorization`.
    ///
    /// - Throws: ``Problem`` 401
    func admit(_ fields: HTTPFields) throws(Problem) {
      guard let credentials else { return }
      let words = (fields[.authorization] ?? "").split(separator: " ", maxSplits: 1)
      if words.count == 2 {
        let value = words[1].trimmingBlanks
        switch words[0].lowercased() {
        case "bearer" where credentials.admit(token: value.utf8): return
        case "basic":
          if let pair = Data(base64Encoded: String(value)),
            credentials.admit(nameAndPassword: pair)
          {
            return
          }
        default: break
        }
      }
      throw Problem(
        .unauthorized, "credentials are required",
        fields: [.wwwAuthenticate: "Basic realm=\"feedcore\", charset=\"UTF-8\", Bearer"],
        refusal: .unauthorized)
    }
  }
#endif
