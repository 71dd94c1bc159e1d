#if Server
  import HTTPTypes

  // The client's types in FeedAPI have the same names.
  typealias HTTPFields = HTTPTypes.HTTPFields
  typealias HTTPRequest = HTTPTypes.HTTPRequest
  typealias HTTPResponse = HTTPTypes.HTTPResponse
#endif
