"""Types into a program as a person does: terminal.py redis-cli -h HOST -p PORT

Prints what was seen, or ends with an error.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time


def read_until(terminal, text, seconds=20):
    seen = b""
    end = time.monotonic() + seconds
    while text not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                break  # the program has ended
    if text not in seen:
        sys.exit(f"waited for {text!r} and saw {seen!r}")


def wait_for_end(process, terminal, seconds=20):
    """Takes what it still writes: it ends when somebody has taken all of that."""
    end = time.monotonic() + seconds
    while os.waitpid(process, os.WNOHANG)[0] == 0:
        if time.monotonic() > end:
            os.kill(process, signal.SIGKILL)
            sys.exit("it does not end when told to quit")
        try:
            if select.select([terminal], [], [], 0.1)[0]:
                os.read(terminal, 4096)
        except OSError:
            time.sleep(0.01)  # it has closed the terminal


process, terminal = pty.fork()
if process == 0:
    # Without a size it asks the terminal for one, which nobody would answer.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 80, 0, 0))
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[1], sys.argv[1:])
read_until(terminal, b"> ")
os.write(terminal, b"PING\r")
read_until(terminal, b"PONG")
os.write(terminal, b"GET ")
read_until(terminal, b"key")
os.write(terminal, b"feed:nothing:item:x\r")
read_until(terminal, b"(nil)")
os.write(terminal, b"help GETRANGE\r")
read_until(terminal, b"Get a substring")
os.write(terminal, b"quit\r")
wait_for_end(process, terminal)
print("prompt, hint, answer and help")
