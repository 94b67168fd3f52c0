"""README.md and docs/*.md as a program reads them: blocks of commands, what each is expected to print, and links.

A block of commands is fenced as ```console; a line `$ COMMAND` begins a command (a backslash at its end continues it, a
here-document belongs to it), the lines up to the next `$` are what it prints, and a line `...` stands for any lines. An HTML
comment on the line above the fence says what is special, comma-separated, with a reason after the colon:

    <!-- not run: needs a GPU -->        only the options are looked up
    <!-- loose: measured -->             numbers, ids, verdicts, names of processors and the order of rows may differ
    <!-- exit 1: the answer is no -->    the exit code; 0 without it
    <!-- prepare                         commands that the page needs and a reader does not see
    $ stackx inspect tests/docs/tiny.json
    -->
"""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(r"\s*(\$ |(build/)?stackx(-pi)? [a-z-]|\./run\b|python3 )")


@dataclasses.dataclass
class Command:
    page: pathlib.Path
    line: int
    text: str
    expected: list = dataclasses.field(default_factory=list)
    not_run: bool = False
    loose: bool = False
    exit_code: int = 0

    def __str__(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}: {self.text.splitlines()[0]}"


class Malformed(Exception):
    pass


def _marks(comment, where):
    """{not_run, loose, exit_code} of a comment above a fence; nothing for a comment about something else."""
    found = {}
    for word in comment.split(":", 1)[0].split(","):
        word = word.strip()
        if word in ("not run", "loose"):
            if ":" not in comment:
                raise Malformed(f"{where}: {word!r} without a reason")
            found[word.replace(" ", "_")] = True
        elif exit_code := re.fullmatch(r"exit (\d+)", word):
            found["exit_code"] = int(exit_code[1])
    return found


def _commands(lines, first, page, marks):
    """The commands of a block's lines, the first of which is line `first` of the page."""
    found, heredoc, more = [], None, False
    for number, line in enumerate(lines, first):
        if heredoc is not None or more:
            found[-1].text += "\n" + line
            if heredoc is not None:
                heredoc = None if line == heredoc else heredoc
            else:
                more = line.endswith("\\")
        elif line.startswith("$ "):
            found.append(Command(page, number, line[2:], **marks))
            begins = re.search(r"<<'?(\w+)'?", line)
            heredoc = begins[1] if begins else None
            more = heredoc is None and line.endswith("\\")
        elif not found:
            raise Malformed(f"{page.name}:{number}: a console block begins with `$ COMMAND`")
        else:
            found[-1].expected.append(line)
    for command in found:
        while command.expected and not command.expected[-1].strip():
            command.expected.pop()
    return found


def commands(page):
    """All commands of a page in order. A fenced block that holds a command and is no console block is an error."""
    lines, found, at = page.read_text().splitlines(), [], 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("<!-- prepare"):
            end = lines.index("-->", at)
            found += _commands(lines[at + 1:end], at + 2, page, {})
            at = end
        elif line.startswith("```"):
            end = next(i for i in range(at + 1, len(lines)) if lines[i] == "```")
            body = lines[at + 1:end]
            if line == "```console":
                above = re.fullmatch(r"<!-- (.*) -->", lines[at - 1])
                found += _commands(body, at + 2, page, _marks(above[1], f"{page.name}:{at}") if above else {})
            elif offending := next((text for text in body if COMMAND.match(text)), None):
                raise Malformed(f"{page.name}:{at + 1}: a command outside of a console block: {offending}")
            at = end
        elif line.startswith("    ") and COMMAND.match(line):
            raise Malformed(f"{page.name}:{at + 1}: a command in an indented block, which nothing runs: {line}")
        at += 1
    return found


def prose(page):
    """The page without its fenced blocks and comments."""
    text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text())
    return re.sub(r"(?s)<!--.*?-->", "", text)


def code_spans(page):
    return re.findall(r"`([^`\n]+)`", prose(page))


def links(page):
    """(file, anchor or "") of each relative link; the file is the page itself for a mere anchor."""
    without_code = re.sub(r"`[^`\n]*`", "", prose(page))
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        yield (page.parent / path).resolve() if path else page, anchor


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    found, text = [], re.sub(r"(?ms)^```.*?^```$", "", page.read_text())
    for heading in re.findall(r"(?m)^#+ (.*)$", text):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found.append(f"{slug}-{found.count(slug)}" if slug in found else slug)
    return found
