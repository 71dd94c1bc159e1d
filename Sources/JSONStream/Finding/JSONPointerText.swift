extension String {
  /// The text as a reference token of a JSON Pointer (RFC 6901, section 3).
  package var jsonPointerEscaped: String {
    replacing("~", with: "~0").replacing("/", with: "~1")
  }

  /// The key of a reference token of a JSON Pointer.
  package var jsonPointerUnescaped: String {
    replacing("~1", with: "/").replacing("~0", with: "~")
  }
}
