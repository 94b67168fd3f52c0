"""Shells that complete a line, as test_completion asks them: {line: what they offer}.

bash  its function is called with the variables that readline sets, the words taken apart as COMP_WORDBREAKS says; and, in
      `typed`, a bash on a terminal, with real readline, that is typed into
zsh   a zsh on a terminal, with compsys, whose builtin compadd is replaced by one that writes down what it is given
fish  complete -C, which is what its pager shows
"""

import os
import pathlib
import pty
import re
import select
import shlex
import subprocess
import time

PATIENCE = 240  # seconds

BASH = r"""
source "$1"
for function in compopt; do eval "$function() { :; }"; done
while IFS= read -r COMP_LINE; do
  COMP_POINT=${#COMP_LINE}
  COMP_WORDS=() word= sign=
  for ((i = 0; i <= COMP_POINT; i++)); do
    c=${COMP_LINE:i:1}
    if [[ $c == [=:] && $COMP_WORDBREAKS == *"$c"* ]]; then
      [[ -z $word ]] || COMP_WORDS+=("$word")
      COMP_WORDS+=("$c") word= sign=1
    elif [[ -z $c || $c == ' ' ]]; then
      [[ -z $word && ( -n $sign || ${COMP_LINE:i-1:1} == ' ' && -n $c ) ]] || COMP_WORDS+=("$word")
      word= sign=
    else
      word+=$c sign=
    fi
  done
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  _stackx stackx
  printf '%s\n' "${COMPREPLY[@]}" $'\1'
done
"""

ZSH = r"""
PROMPT= RPROMPT=
unsetopt zle_bracketed_paste prompt_sp 2>/dev/null
unset zle_bracketed_paste
autoload -Uz compinit && compinit -u -d "$DUMP"
{load}
bindkey '^I' complete-word
compadd() {{
  if [[ ${{@[1,(i)(-|--)]}} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -O hits "$@"
  (( $#hits )) && print -rl -- "${{hits[@]}}" >>"$HITS"
  (( $#hits ))
}}
ended() {{ print -r -- $'\1' >>"$HITS"; comppostfuncs=(ended); }}
comppostfuncs=(ended)
zle-line-init() {{ print -r -- $'\2' >>"$HITS"; }}  # now it reads what is typed
zle -N zle-line-init
zstyle ':completion:*' completer _complete
"""


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, command, environment):
        self.child, self.screen = pty.fork()
        if self.child == 0:
            os.execvpe(command[0], command, environment)
        self.seen = ""

    def type(self, text):
        os.write(self.screen, text.encode())

    def read(self, seconds):
        """What comes within some time, at once if something is there."""
        if select.select([self.screen], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.screen, 65536).decode(errors="replace")
            except OSError:
                pass
        return self.seen

    def until(self, what):
        end = time.monotonic() + PATIENCE
        while what not in self.read(0.1):
            if time.monotonic() > end:
                raise AssertionError(f"{what!r} never came; the terminal shows {self.seen!r}")
        self.seen = self.seen.split(what, 1)[1]

    def until_there(self, file):
        end = time.monotonic() + PATIENCE
        while not file.exists():
            self.read(0.02)
            if time.monotonic() > end:
                raise AssertionError(f"{file.name} never came; the terminal shows {self.seen!r}")

    def close(self):
        os.close(self.screen)
        os.waitpid(self.child, 0)


def bash(script, lines, environment, breaks=None):
    begin = "" if breaks is None else f"COMP_WORDBREAKS={shlex.quote(breaks)}\n"
    done = subprocess.run(["bash", "--norc", "--noprofile", "-c", begin + BASH, "bash", script], input="".join(f"{line}\n" for line in lines),
                          capture_output=True, text=True, env=environment, timeout=240)
    if done.stderr:
        raise AssertionError(done.stderr)
    return dict(zip(lines, ([word for word in part.split("\n") if word] for part in done.stdout.split("\1\n"))))


def bash_typed(directory, script, lines, environment):
    """{line: the line after a press of the tabulator}. Keys that are typed meanwhile wait until it is completed."""
    typed = pathlib.Path(directory) / "typed"
    terminal = Terminal(["bash", "--norc", "--noprofile", "-i"], dict(environment, TYPED=str(typed), TERM="dumb", HISTFILE=""))
    terminal.type(f"bind 'set enable-bracketed-paste off'; source {shlex.quote(str(script))}; echo rea''dy\n")
    terminal.until("ready\r\n")
    found = {}
    for line in lines:
        terminal.type(f"{line}\t\x01printf '%s\\n' \x05 >$TYPED.new; mv $TYPED.new $TYPED\n")  # what stands there is not run
        terminal.until_there(typed)
        found[line] = " ".join(typed.read_text().splitlines())
        typed.unlink()
    terminal.close()
    return found


def zsh(directory, load, lines, environment):
    """`load`: how the script gets known. `directory` is for what zsh writes."""
    directory = pathlib.Path(directory)
    hits, rc = directory / "hits", directory / ".zshrc"
    hits.write_text("")
    rc.write_text(ZSH.format(load=load))
    own = {"ZDOTDIR": str(directory), "DUMP": str(directory / "dump"), "HITS": str(hits), "TERM": "dumb"}
    terminal = Terminal(["zsh", "-i", "--no-global-rcs"], environment | own)

    found, at = {}, 0

    def hits_until(mark):
        nonlocal at
        end = time.monotonic() + PATIENCE
        while mark not in (text := hits.read_text()[at:]):
            terminal.read(0.02)
            if time.monotonic() > end:
                raise AssertionError(f"zsh does not go on; the terminal shows {terminal.seen!r}")
        at += text.index(mark) + 1
        return text.split(mark)[0].split()

    hits_until("\2")
    for line in lines:
        terminal.type(f"\x15{line}\t")  # instead of the line before
        found[line] = hits_until("\1")
    terminal.close()
    return found


def fish(script, lines, environment):
    script = pathlib.Path(script).read_text()
    asked = "".join(f"complete -C {shlex.quote(line)}; printf '\\1\\n'\n" for line in lines)
    done = subprocess.run(["fish", "--no-config"], input=script + asked, capture_output=True, text=True, env=environment, timeout=240)
    if done.stderr:
        raise AssertionError(done.stderr)
    parts = done.stdout.split("\1\n")
    return dict(zip(lines, ([line.split("\t")[0] for line in part.splitlines()] for part in parts)))
