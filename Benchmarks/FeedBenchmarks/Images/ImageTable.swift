/// The table of images in SQLite.
enum ImageTable {
  static let create = "CREATE TABLE image (url TEXT NOT NULL PRIMARY KEY, data BLOB NOT NULL)"
  static let insert = "INSERT INTO image VALUES (?, ?)"
  static let select = "SELECT data FROM image WHERE url = ?"
}
