"""The protocols of systemd: socket activation, and notifications of readiness and stopping."""

import fcntl
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

from http_case import COMMAND

#: Passes sockets as systemd does: as descriptors from 3 on, with the id of the receiving process.
PASS_ON = "export LISTEN_PID=$$ LISTEN_FDS=$1 LISTEN_FDNAMES=$2; shift 2;"


class Listener:
    """A listening socket that is passed to the service."""

    def __init__(self, family, address):
        self.socket = socket.socket(family)
        self.socket.bind(address)
        self.socket.listen()
        self.address = self.socket.getsockname()
        self.family = family

    def ask(self, text):
        """Sends a text; returns the first part of the answer, empty if the other side closes."""
        with socket.socket(self.family) as client:
            client.settimeout(20)
            client.connect(self.address)
            client.sendall(text)
            return client.recv(65536)

    @property
    def speaks(self):
        # HTTP refuses PING, while RESP would close the connection on an HTTP request.
        if self.ask(b"PING\r\n").startswith(b"+PONG"):
            return "RESP"
        answer = self.ask(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return "HTTP" if answer.startswith(b"HTTP/1.1 200") else answer


class Notices:
    """The socket that receives the notifications of a service."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.settimeout(20)
        self.variable = address.replace("\0", "@")

    def next(self):
        return self.socket.recv(4096).decode()

    def is_silent(self):
        self.socket.setblocking(False)
        try:
            self.socket.recv(4096)
            return False
        except BlockingIOError:
            return True
        finally:
            self.socket.settimeout(20)


class ServiceCase(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="feedcore-systemd.")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.process = None

    def listen(self, family, address):
        listener = Listener(family, address)
        self.addCleanup(listener.socket.close)
        return listener

    def serve(self, *options, listeners=(), names="", notify=None, command=()):
        """Starts the service with passed sockets and a notification socket."""
        environment = dict(os.environ)
        if notify is not None:
            environment["NOTIFY_SOCKET"] = notify
        serve = [*command, COMMAND, "serve", "--store", self.directory / "store", *options]
        # High numbers, so that none of them is a target of the moves below.
        numbers = [fcntl.fcntl(one.socket, fcntl.F_DUPFD, 100) for one in listeners]
        if listeners:
            moves = " ".join(f"{3 + place}<&{number}" for place, number in enumerate(numbers))
            closes = " ".join(f"{number}<&-" for number in numbers)
            serve = ["bash", "-c", f'{PASS_ON} exec "$@" {moves} {closes}', "bash",
                     str(len(listeners)), names, *serve]
        self.process = subprocess.Popen(
            serve, env=environment, pass_fds=numbers, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        for number in numbers:
            os.close(number)
        self.addCleanup(self.end, self.process)
        return self.process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def stop(self):
        """Stops the service as systemd does."""
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(timeout=20), 0)

    def lines(self, count):
        return [self.process.stdout.readline().strip() for _ in range(count)]


class SocketTests(ServiceCase):
    def test_sockets_are_served_by_their_names(self):
        path = self.directory / "given"
        http = self.listen(socket.AF_INET, ("127.0.0.1", 0))
        resp = self.listen(socket.AF_INET, ("127.0.0.1", 0))
        other = self.listen(socket.AF_UNIX, str(path))
        self.serve(listeners=[http, resp, other], names="web:resp:local")
        self.assertEqual(
            sorted(self.lines(3)),
            sorted([f"HTTP on http://127.0.0.1:{http.address[1]}", f"HTTP on {path}",
                    f"RESP on redis://127.0.0.1:{resp.address[1]}"]))
        self.assertEqual([one.speaks for one in (http, resp, other)], ["HTTP", "RESP", "HTTP"])
        self.stop()
        self.assertTrue(path.exists(), "the file of a socket is whose who has made it")

    def test_clients_that_came_before_the_service_are_served(self):
        http = self.listen(socket.AF_INET, ("127.0.0.1", 0))
        with socket.create_connection(http.address) as client:
            client.settimeout(20)
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.serve(listeners=[http])
            self.assertTrue(client.recv(4096).startswith(b"HTTP/1.1 200"))

    def test_no_name_is_http_and_ipv6_is_told_as_such(self):
        try:
            http = self.listen(socket.AF_INET6, ("::1", 0))
        except OSError:
            self.skipTest("there is no IPv6")
        self.serve(listeners=[http])
        self.assertEqual(self.lines(1), [f"HTTP on http://[::1]:{http.address[1]}"])
        self.assertEqual(http.speaks, "HTTP")

    def test_sockets_are_beside_those_that_are_asked_for(self):
        given = self.listen(socket.AF_INET, ("127.0.0.1", 0))
        self.serve("--resp", "127.0.0.1:0", listeners=[given])
        lines = self.lines(2)
        self.assertIn(f"HTTP on http://127.0.0.1:{given.address[1]}", lines)
        self.assertEqual(sum(line.startswith("RESP on ") for line in lines), 1)

    def test_sockets_for_another_process_are_left_alone(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            os.environ.update(LISTEN_PID="1", LISTEN_FDS="1")
            try:
                self.serve("--http", "127.0.0.1:0")
            finally:
                del os.environ["LISTEN_PID"], os.environ["LISTEN_FDS"]
            [line] = self.lines(1)
            self.assertNotIn(str(other.getsockname()[1]), line)
        self.stop()

    def test_what_does_not_listen_is_refused(self):
        class Given:
            def __init__(self, given):
                self.socket = given
        with open(os.devnull) as file, socket.socket() as unbound:
            for given in (file, unbound):
                process = self.serve(listeners=[Given(given)])
                output, error = process.communicate(timeout=20)
                self.assertEqual((process.returncode, output), (64, ""), error)
                self.assertIn("is not a listening socket", error)
                self.assertEqual(error.count("\n"), 1)

    def test_sockets_that_other_machines_reach_need_credentials(self):
        wide = self.listen(socket.AF_INET, ("0.0.0.0", 0))
        process = self.serve(listeners=[wide])
        output, error = process.communicate(timeout=20)
        self.assertEqual((process.returncode, output), (64, ""))
        self.assertIn("--auth-file", error)
        self.serve("--insecure", listeners=[wide])
        self.assertTrue(self.lines(1)[0].startswith("HTTP on http://0.0.0.0:"))
        self.stop()

    @unittest.skipUnless(shutil.which("systemd-socket-activate"), "systemd is not there")
    def test_systemd_starts_it_for_the_first_client(self):
        place = self.directory / "activated"
        self.serve(command=["systemd-socket-activate", f"--listen={place}", "--fdname=resp"])
        while "Listening on" not in self.process.stderr.readline():
            self.assertIsNone(self.process.poll())
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(20)
            client.connect(str(place))
            client.sendall(b"PING\r\n")
            self.assertEqual(client.recv(100), b"+PONG\r\n")
        self.assertEqual(self.lines(1), [f"RESP on {place}"])
        self.stop()


class NoticeTests(ServiceCase):
    def notices(self):
        """Notification sockets: at a path, and with an abstract name."""
        for address in (str(self.directory / "notify"), f"\0feedcore-test-{os.getpid()}"):
            notices = Notices(address)
            self.addCleanup(notices.socket.close)
            yield notices

    def test_it_tells_when_it_is_ready_and_when_it_stops(self):
        given = self.listen(socket.AF_INET, ("127.0.0.1", 0))
        for notices in self.notices():
            for options in (["--http", "127.0.0.1:0"], ["--resp", "127.0.0.1:0"],
                            ["--http", "127.0.0.1:0", "--resp", "127.0.0.1:0"]):
                with self.subTest(notices.variable, options=options):
                    self.serve(*options, listeners=[given], notify=notices.variable)
                    self.assertEqual(notices.next(), "READY=1")
                    # READY=1 means that the server listens at all addresses.
                    self.assertEqual(given.speaks, "HTTP")
                    self.assertEqual(len(self.lines(1 + len(options) // 2)), 1 + len(options) // 2)
                    self.assertTrue(notices.is_silent())
                    self.stop()
                    self.assertEqual(notices.next(), "STOPPING=1")
                    self.assertTrue(notices.is_silent())

    def test_resp_alone_tells_it_too(self):
        for notices in self.notices():
            self.serve("--resp", "127.0.0.1:0", notify=notices.variable)
            self.assertEqual(notices.next(), "READY=1")
            self.stop()
            self.assertEqual(notices.next(), "STOPPING=1")

    def test_one_that_cannot_start_is_never_ready(self):
        notices = next(self.notices())
        with socket.create_server(("127.0.0.1", 0)) as taken:
            process = self.serve(
                "--http", f"127.0.0.1:{taken.getsockname()[1]}", notify=notices.variable)
            process.communicate(timeout=20)
        self.assertNotEqual(process.returncode, 0)
        self.assertTrue(notices.is_silent())

    def test_nobody_has_to_listen(self):
        for variable in (str(self.directory / "nobody"), "@nobody-here", "x", "", "/" + "n" * 200):
            self.serve("--http", "127.0.0.1:0", notify=variable)
            self.assertTrue(self.lines(1)[0].startswith("HTTP on "))
            self.stop()


if __name__ == "__main__":
    unittest.main()
