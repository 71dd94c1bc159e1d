"""A small service of feeds on the loopback interface, which a test can make unreachable."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pictures


class Origin:
    """Serves `answers` by path. Offline, it closes connections without an answer."""

    def __init__(self):
        self.answers = {}
        self.is_offline = False
        origin = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                path = self.path.split("?")[0]
                body = origin.answers.get(path)
                if origin.is_offline:
                    self.close_connection = True
                    self.connection.close()
                    return
                self.send_response(404 if body is None else 200)
                kind = "image/png" if path.endswith(".png") else "application/json"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def handle(self):
                try:
                    super().handle()
                except (OSError, ValueError):
                    pass

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def put(self, path, document):
        self.answers[path] = json.dumps(document).encode()

    def put_picture(self, number, path):
        self.answers[path] = pictures.png(number)
        return self.url + path

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
