"""An SVG picture for light and dark mode and for screen readers."""

from xml.sax.saxutils import escape, quoteattr

# Each colour in light and dark mode. Not all SVG renderers support CSS variables.
COLOURS = {
    "paper": ("#ffffff", "#0d1117"),
    "ink": ("#1f2328", "#e6edf3"),
    "soft": ("#59636e", "#9da7b3"),
    "grid": ("#d8dee4", "#30363d"),
    "better": ("#0a66c2", "#58a6ff"),
    "worse": ("#c2410c", "#ff9b57"),
    "undecided": ("#6e7781", "#8b949e"),
}
USES = [
    (".paper", "fill", "paper"),
    ("text", "fill", "ink"),
    (".small", "fill", "soft"),
    (".grid", "stroke", "grid"),
    (".one, .whisker", "stroke", "ink"),
    (".thin", "stroke", "soft"),
    (".better", "fill", "better"),
    (".worse", "fill", "worse"),
    (".undecided", "fill", "undecided"),
    (".curve", "stroke", "better"),
    (".peer", "stroke", "soft"),
    (".dot", "fill", "soft"),
    (".band", "fill", "grid"),
]
SHAPES = """
text { font: 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
.heading { font-weight: 600; } .title { font-size: 17px; font-weight: 600; }
.small { font-size: 11.5px; } .end { text-anchor: end; } .middle { text-anchor: middle; }
.whisker { stroke-width: 1.5; fill: none; } .curve { stroke-width: 2; fill: none; }
.thin { stroke-width: 0.75; opacity: 0.7; }
.peer { stroke-width: 1.5; fill: none; stroke-dasharray: 5 4; } .band { opacity: 0.55; }
"""


def style():
    light, dark = (
        " ".join(f"{who} {{ {what}: {COLOURS[name][index]}; }}" for who, what, name in USES)
        for index in (0, 1)
    )
    return f"{SHAPES}{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n"


NARROW, WIDE = " .,:;'|!()[]iljtfIr-", "mwMW@%—▲▼◀▶"


def width(text, size=13):
    """An upper estimate of the width of a text, for the widest fonts that a reader may have."""
    letters = (0.42 if c in NARROW else 1.0 if c in WIDE else 0.69 for c in text)
    return sum(letters) * size


class Picture:
    def __init__(self, title, description):
        self.title, self.description = title, description
        self.body = []

    def add(self, name, content=None, **attributes):
        words = "".join(
            f" {key.rstrip('_').replace('_', '-')}={quoteattr(self.written(value))}"
            for key, value in attributes.items()
        )
        self.body.append(
            f"<{name}{words}/>" if content is None else f"<{name}{words}>{escape(content)}</{name}>"
        )

    @staticmethod
    def written(value):
        return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)

    def text(self, x, y, content, kind=""):
        self.add("text", content, x=float(x), y=float(y), **({"class_": kind} if kind else {}))

    def line(self, x1, y1, x2, y2, kind):
        self.add("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=kind)

    def begin_group(self, title):
        self.body.append(f"<g><title>{escape(title)}</title>")

    def end_group(self):
        self.body.append("</g>")

    def written_with(self, width, height):
        size = f"{width:.0f}", f"{height:.0f}"
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}"'
            f' viewBox="0 0 {size[0]} {size[1]}" role="img" aria-labelledby="title desc">\n'
            f'<title id="title">{escape(self.title)}</title>\n'
            f'<desc id="desc">{escape(self.description)}</desc>\n'
            f"<style>{escape(style())}</style>\n"
            f'<rect class="paper" width="{size[0]}" height="{size[1]}"/>\n'
        )
        return head + "\n".join(self.body) + "\n</svg>\n"
