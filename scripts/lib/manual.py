"""Writes the manual page of feedcore (mdoc, section 1) from the help of the command.

    python3 manual.py FEEDCORE >feedcore.1

If the help of an option describes its default in words, the default value is left out, since it may
depend on this machine.
"""

import datetime
import json
import os
import re
import subprocess
import sys
import textwrap


def escaped(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def prose(text):
    """The lines of paragraphs. Each sentence begins a line, as mdoc requires."""
    lines = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if lines:
            lines.append(".Pp")
        for sentence in re.split(r"(?<=[.:!?]) (?=[A-Z$\d\"'(/])", " ".join(paragraph.split())):
            # A line that begins with these characters would be a macro.
            lines += [re.sub(r"^(?=[.'])", r"\\&", line) for line in textwrap.wrap(
                escaped(sentence), 76, break_long_words=False, break_on_hyphens=False)]
    return lines


def name_of(argument):
    long = [name["name"] for name in argument["names"] if name["kind"] != "short"]
    short = [name["name"] for name in argument["names"] if name["kind"] == "short"]
    return " , ".join([f"Fl {name}" for name in short] + [f"Fl \\-{escaped(name)}" for name in long])


def value_of(argument):
    return escaped(argument.get("valueName", ""))


def shown(command):
    ours = {"help", "version"}
    return [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]
            and argument.get("valueName") not in ours]



def usage(argument):
    dots = " Ns ..." if argument["isRepeating"] else ""
    if argument["kind"] == "positional":
        text = f"Ar {value_of(argument)}{dots}"
        return [f".Op {text}" if argument["isOptional"] else f".{text}"]
    name = escaped(argument["preferredName"]["name"])
    text = f"Fl \\-{name}"
    if argument["kind"] == "option":
        text += f" Ar {value_of(argument)}"
    return [f".Op {text}{dots}" if argument["isOptional"] else f".{text}"]


def described(argument):
    if argument["kind"] == "positional":
        lines = [f".It Ar {value_of(argument)}"]
    else:
        value = f" Ar {value_of(argument)}" if argument["kind"] == "option" else ""
        lines = [f".It {name_of(argument)}{value}"]
    text = " ".join([argument.get("abstract", ""), argument.get("discussion", "")]).strip()
    lines += prose(text)
    value = argument.get("defaultValue")
    values = argument.get("allValues", [])
    if values and not all(value in text for value in values):
        lines += prose(f"One of {', '.join(values)}.")
    if value and "by default" not in text.lower():
        lines += prose(f"The default is {value}.")
    return lines


def parts_of(command):
    """The discussion of a command, and the lines of its examples."""
    discussion, _, examples = command.get("discussion", "").partition("EXAMPLES:\n")
    return discussion.strip(), [line.strip() for line in examples.splitlines() if line.strip()]


def examples(command):
    """The examples of a command and of its subcommands. Comments become prose."""
    for line in parts_of(command)[1]:
        if line.startswith("# "):
            yield [".Pp"] + prose(line[2:])
        else:
            # A one-line macro would interpret the quotes of the shell.
            yield [".Bd -literal -offset indent -compact", escaped(line).replace("'", "\\(aq"), ".Ed"]
    for sub in command.get("subcommands", []):
        if sub["shouldDisplay"] and sub["commandName"] != "help":
            yield [".Pp"]
            yield from examples(sub)


def commands(command, words=()):
    for sub in command.get("subcommands", []):
        if sub["shouldDisplay"] and sub["commandName"] != "help":
            path = (*words, sub["commandName"])
            if "subcommands" not in sub:
                yield path, sub
            yield from commands(sub, path)


def section(words, command):
    arguments = shown(command)
    lines = [f".Ss feedcore {' '.join(words)}", ".Bd -filled -offset indent -compact"]
    lines += [f".Nm feedcore {' '.join(words)}"]
    lines += [line for argument in arguments for line in usage(argument)]
    lines += [".Ed", ".Pp"] + prose(command["abstract"])
    discussion, _ = parts_of(command)
    if discussion:
        lines += [".Pp"] + prose(discussion)
    if arguments:
        lines += [".Bl -tag -width Ds"]
        lines += [line for argument in arguments for line in described(argument)]
        lines += [".El"]
    return lines


def exit_codes(discussion):
    text = re.search(r"Exit codes: (.*)\.", discussion, re.S).group(1)
    for entry in text.split(";"):
        code, meaning = entry.strip().split(None, 1)
        yield [f".It {code}"] + prose(meaning[0].upper() + meaning[1:] + ".")


def page(root):
    # With a fixed day, the same sources make the same page (reproducible-builds.org).
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    day = (datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc) if seconds
           else datetime.datetime.now(datetime.timezone.utc))
    discussion = re.split(r"\n\s*\nExit codes:", parts_of(root)[0])[0]
    abstract = root["abstract"].rstrip(".")
    lines = [f".Dd {day:%B} {day.day}, {day.year}", ".Dt FEEDCORE 1", ".Os", ".Sh NAME",
             ".Nm feedcore", f".Nd {escaped(abstract[0].lower() + abstract[1:])}",
             ".Sh SYNOPSIS", ".Nm feedcore", ".Ar command", ".Op Ar argument ...",
             ".Nm feedcore", ".Cm help", ".Op Ar command",
             ".Sh DESCRIPTION"] + prose(discussion)
    lines += [".Pp", "Each command takes", ".Fl \\-help", "and", ".Fl \\-version ."]
    lines += [".Sh COMMANDS"]
    for words, command in commands(root):
        lines += section(words, command)
    lines += [".Sh ENVIRONMENT", ".Bl -tag -width Ds", ".It Ev FEEDCORE_STORE",
              "The store, if", ".Fl \\-store", "is not given.", ".It Ev XDG_CACHE_HOME",
              "The parent directory of the default store", ".Pa feedcore .",
              "The default is", ".Pa ~/.cache .", ".El"]
    lines += [".Sh EXIT STATUS", ".Bl -tag -width Ds"]
    for entry in exit_codes(parts_of(root)[0]):
        lines += entry
    lines += [".El", ".Sh EXAMPLES"]
    for example in examples(root):
        lines += example
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: manual.py FEEDCORE")
    dump = subprocess.run([sys.argv[1], "--experimental-dump-help"], check=True,
                          stdout=subprocess.PIPE)
    sys.stdout.write(page(json.loads(dump.stdout)["command"]))
