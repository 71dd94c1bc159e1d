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

PROMPT = b"> "


def read_until(terminal, text, prompt=b"", seconds=20):
    """Waits for a text and the prompt after it. Input before the prompt may be lost."""
    seen = b""
    end = time.monotonic() + seconds

    def is_there():
        return text in seen and prompt in seen[seen.index(text) + len(text):]

    while not is_there() and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                break  # the program has ended
    if not is_there():
        sys.exit(f"waited for {text!r} and saw {seen!r}")


def wait_for_end(process, terminal, seconds=20):
    """Reads the remaining output, without which the process does not end."""
    end = time.monotonic() + seconds
    while os.waitpid(process, os.WNOHANG)[0] == 0:
        if time.monotonic() > end:
            os.kill(process, signal.SIGKILL)
            sys.exit("it does not end when told to quit")
        try:
            if select.select([terminal], [], [], 0.1)[0]:
                os.read(terminal, 4096)
        except OSError:
            time.sleep(0.01)  # the program has closed the terminal


process, terminal = pty.fork()
if process == 0:
    # Without a size, the program asks the terminal for one and gets no answer.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 80, 0, 0))
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[1], sys.argv[1:])
read_until(terminal, PROMPT)
os.write(terminal, b"PING\r")
read_until(terminal, b"PONG", PROMPT)
os.write(terminal, b"GET ")
read_until(terminal, b"key")
os.write(terminal, b"feed:nothing:item:x\r")
read_until(terminal, b"(nil)", PROMPT)
os.write(terminal, b"help GETRANGE\r")
read_until(terminal, b"Get a substring", PROMPT)
os.write(terminal, b"quit\r")
wait_for_end(process, terminal)
print("prompt, hint, answer and help")
