#if Server
  import Mustache

  /// The templates of all pages. They escape every value.
  struct PageTemplates: Sendable {
    private let library: MustacheLibrary
    /// Distinguishes the templates and their assets from other versions.
    let version: String

    /// - Throws: an error of the parser if a template is malformed.
    init() throws {
      var library = MustacheLibrary()
      var all: [UInt8] = []
      for (name, bytes) in Self.sources {
        try library.register(String(decoding: bytes, as: UTF8.self), named: name)
        all += bytes
      }
      self.library = library
      let assets = PageAssets.all.addresses
      version = PageAssets.sum(all + (assets.style + assets.script + assets.icon).utf8)
    }

    /// A page as HTML.
    func render(_ view: some Sendable, as template: Template) throws -> String {
      guard let html = library.render(view, withTemplate: template.rawValue) else {
        throw MissingTemplate(name: template.rawValue)
      }
      return html
    }

    private struct MissingTemplate: Error { let name: String }

    /// The templates that are whole pages.
    enum Template: String {
      case home, list, detail, message
    }

    private static let sources: [(name: String, bytes: [UInt8])] = [
      ("layout", PackageResources.layout_mustache),
      ("alert", PackageResources.alert_mustache),
      ("picture", PackageResources.picture_mustache),
      ("link", PackageResources.link_mustache),
      ("item", PackageResources.item_mustache),
      ("facet", PackageResources.facet_mustache),
      ("pager", PackageResources.pager_mustache),
      ("home", PackageResources.home_mustache),
      ("list", PackageResources.list_mustache),
      ("detail", PackageResources.detail_mustache),
      ("message", PackageResources.message_mustache),
    ]
  }
#endif
