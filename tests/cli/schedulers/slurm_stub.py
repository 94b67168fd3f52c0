#!/usr/bin/env python3
"""A Slurm that is made up: sbatch, squeue, scancel, sinfo, sacct and scontrol over a file, without daemons and without root.

    slurm = SlurmStub(directory)                 # its programs in directory/bin, its state in directory/slurm.db
    environment["PATH"] = slurm.path()           # before the PATH there is
    slurm.set("RUNNING", node="n1")              # all tasks that live; "PENDING" with reason="JobHeldUser" is a held one
    slurm.set("COMPLETED", [0, 4])               # blocks, that is offset + index; ended without having run
    slurm.forget()                               # nothing is known of any job any more: a controller that lost its state
    slurm.forget_ended()                         # squeue knows nothing of what ended (MinJobAge is over); sacct does
    slurm.settings(down=True)                    # every program fails as without a controller; also: accounting, array_size, user
    slurm.node("n2", "drained", "bad disk")      # what sinfo says

A stub made with runs=N really runs up to N tasks at a time, each as `bash SCRIPT` with Slurm's variables, its output where the script
wants it. scancel and requeue() send SIGTERM to all of a task, or another signal; a task that is requeued begins again with its
SLURM_RESTART_COUNT. What runs ends when the directory goes: stop() waits for that. Unlike Slurm's, it has no partitions and no
queue of its own: any task can run, and no wall time is ever over.

From a shell: slurm_stub.py DIRECTORY install [RUNS]; slurm_stub.py DIRECTORY set STATE [REASON].
"""

import os
import sys

FIELDS = {"i": "base || '_' || place", "A": "job", "F": "base", "K": "place", "T": "state", "N": "node", "j": "name", "r": "reason",
          "u": "'me'", "P": "'main'", "D": "1"}
LIVE = "('PENDING', 'RUNNING', 'COMPLETING', 'SUSPENDED', 'CONFIGURING', 'REQUEUED', 'REQUEUE_HOLD', 'SPECIAL_EXIT', 'STOPPED')"
PROGRAMS = ("sbatch", "squeue", "scancel", "sinfo", "sacct", "scontrol")
DOWN = "Unable to contact slurm controller (connect failure)"


def database(directory):
    import sqlite3

    file = os.path.join(directory, "slurm.db")
    connection = sqlite3.connect(f"file:{file}?mode=rw", uri=True, timeout=30, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    return connection


def setting(connection, name):
    return connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()[0]


def indices(text):
    """"0-3,7" -> 0, 1, 2, 3, 7"""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


class SlurmStub:
    def __init__(self, directory, runs=0):
        import pathlib
        import sqlite3

        self.directory = pathlib.Path(directory)
        self.bin = self.directory / "bin"
        self.bin.mkdir(parents=True)
        for name in PROGRAMS:
            program = self.bin / name
            # Neither site packages nor the user's variables: 15 ms.
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{os.path.abspath(__file__)}" "{self.directory}" {name} "$@"\n')
            program.chmod(0o755)
        made = sqlite3.connect(self.directory / "slurm.db")
        made.executescript("""PRAGMA journal_mode = WAL;
CREATE TABLE settings(name TEXT PRIMARY KEY, value);
CREATE TABLE nodes(name TEXT PRIMARY KEY, state TEXT, reason TEXT);
CREATE TABLE jobs(base INTEGER PRIMARY KEY, script TEXT, output TEXT, directory TEXT, parallel INTEGER);
CREATE TABLE tasks(base INTEGER, place INTEGER, job INTEGER, block INTEGER, name TEXT, state TEXT, reason TEXT DEFAULT 'None', node TEXT DEFAULT '',
  pid INTEGER DEFAULT 0, restarts INTEGER DEFAULT 0, exit_code TEXT DEFAULT '0:0', shown INTEGER DEFAULT 1, PRIMARY KEY(base, place)) WITHOUT ROWID;
INSERT INTO settings VALUES('down', 0), ('accounting', 1), ('array_size', 1001), ('user', ''), ('next_job', 1);
INSERT INTO nodes VALUES('n1', 'idle', 'none');""")
        made.execute("INSERT INTO settings VALUES('runs', ?)", (runs,))
        made.commit()
        made.close()

    def path(self):
        return f"{self.bin}:{os.environ['PATH']}"

    def ask(self, statement, *values):
        connection = database(self.directory)
        try:
            return connection.execute(statement, values).fetchall()
        finally:
            connection.close()

    def settings(self, **changes):
        for name, value in changes.items():
            self.ask("UPDATE settings SET value = ? WHERE name = ?", value, name)

    def node(self, name, state, reason="none"):
        self.ask("INSERT OR REPLACE INTO nodes VALUES(?, ?, ?)", name, state, reason)

    def set(self, state, blocks=None, reason="None", node="", exit_code="0:0"):
        among = "" if blocks is None else f" AND block IN ({','.join(map(str, blocks))})"
        self.ask(f"UPDATE tasks SET state = ?, reason = ?, node = ?, exit_code = ? WHERE state IN {LIVE}{among}", state, reason, node, exit_code)

    def tasks(self):
        """{block: [(job, state)]}, as they were submitted."""
        found = {}
        for block, base, place, state in self.ask("SELECT block, base, place, state FROM tasks ORDER BY base, place"):
            found.setdefault(block, []).append((f"{base}_{place}", state))
        return found

    def forget(self):
        self.ask("DELETE FROM tasks")
        self.settings(next_job=1)

    def forget_ended(self):
        self.ask(f"UPDATE tasks SET shown = 0 WHERE state NOT IN {LIVE}")

    def requeue(self, blocks, signal=15):
        """What preemption does, and with 9 a node that is lost."""
        among = ",".join(map(str, blocks))
        pids = self.ask(f"SELECT pid FROM tasks WHERE pid > 0 AND block IN ({among})")
        self.ask(f"UPDATE tasks SET state = 'REQUEUED' WHERE state = 'RUNNING' AND block IN ({among})")
        for (pid,) in pids:
            signal_all(pid, signal)

    def stop(self):
        import time

        for (pid,) in self.ask("UPDATE tasks SET state = 'CANCELLED' WHERE state IN " + LIVE + " RETURNING pid"):
            signal_all(pid, 9)
        while self.ask("SELECT 1 FROM tasks WHERE pid > 0"):
            time.sleep(0.02)


def signal_all(pid, signal):
    try:
        if pid > 0:
            os.killpg(pid, signal)
    except ProcessLookupError:
        pass


def options_of(words, with_value):
    """{option: value}, other words. `with_value`: letters of options that have one."""
    options, rest, words = {}, [], list(words)
    while words:
        word = words.pop(0)
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            options[name] = value
        elif word.startswith("-") and word[1:2] in with_value:
            options[word[1]] = word[2:] or (words.pop(0) if words else "")
        elif word.startswith("-"):
            options[word[1:]] = ""
        else:
            rest.append(word)
    return options, rest


def sbatch(connection, directory, words):
    import shlex

    _, rest = options_of(words, "")
    script = os.path.abspath(rest[0])
    asked = {"array": "0", "job-name": os.path.basename(script), "output": "/dev/null", "chdir": os.getcwd()}
    with open(script) as file:
        for line in file:
            if line.startswith("#SBATCH"):
                asked.update(options_of(shlex.split(line[7:], comments=True), "")[0])
    listed, _, parallel = asked["array"].partition("%")
    places = list(indices(listed))
    if places[-1] >= setting(connection, "array_size"):
        return fail("sbatch: error: Batch job submission failed: Invalid job array specification")
    offset = asked["job-name"].rpartition(".")[2]
    offset = int(offset) if offset.isdigit() else 0
    connection.execute("BEGIN IMMEDIATE")
    base = setting(connection, "next_job")
    connection.execute("UPDATE settings SET value = ? WHERE name = 'next_job'", (base + len(places),))
    connection.execute("INSERT OR REPLACE INTO jobs VALUES(?, ?, ?, ?, ?)", (base, script, asked["output"], asked["chdir"], int(parallel or len(places))))
    connection.executemany("INSERT OR REPLACE INTO tasks(base, place, job, block, name, state, reason) VALUES(?, ?, ?, ?, ?, 'PENDING', 'Resources')",
                           [(base, place, base + i, offset + place, asked["job-name"]) for i, place in enumerate(places)])
    connection.execute("COMMIT")
    if setting(connection, "runs") > 0:
        import subprocess

        subprocess.Popen([sys.executable, "-I", "-S", os.path.abspath(__file__), directory, "run-job", str(base)], start_new_session=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(base)


def run_job(connection, directory, words):
    """Runs the tasks of a job until none is left."""
    import subprocess
    import time

    base = int(words[0])
    script, output, where, parallel = connection.execute("SELECT script, output, directory, parallel FROM jobs WHERE base = ?", (base,)).fetchone()
    runs = setting(connection, "runs")
    with open(script) as file:
        text = file.read()  # what was submitted, whatever becomes of the file
    alive = {}
    while os.path.exists(os.path.join(directory, "slurm.db")):
        for place, process in list(alive.items()):
            status = process.poll()
            if status is None:
                continue
            del alive[place]
            code = f"0:{-status}" if status < 0 else f"{status}:0"
            connection.execute("""UPDATE tasks SET pid = 0, node = CASE state WHEN 'REQUEUED' THEN '' ELSE node END, exit_code = ?,
restarts = restarts + (state = 'REQUEUED'), reason = 'None', state = CASE state WHEN 'REQUEUED' THEN 'PENDING' WHEN 'RUNNING' THEN ? ELSE state END
WHERE base = ? AND place = ?""", (code, "COMPLETED" if status == 0 else "FAILED", base, place))
        left = connection.execute(f"SELECT count(*) FROM tasks WHERE base = ? AND state IN {LIVE}", (base,)).fetchone()[0]
        if left == 0 and not alive:
            return
        if len(alive) < parallel:
            connection.execute("BEGIN IMMEDIATE")
            room = runs - connection.execute("SELECT count(*) FROM tasks WHERE pid > 0").fetchone()[0]
            waiting = connection.execute("""SELECT place, job, restarts FROM tasks WHERE base = ? AND state = 'PENDING' AND reason NOT LIKE '%Held%'
ORDER BY place LIMIT ?""", (base, max(0, min(room, parallel - len(alive))))).fetchall()
            for place, job, restarts in waiting:
                environment = dict(os.environ, SLURM_JOB_ID=str(job), SLURM_ARRAY_JOB_ID=str(base), SLURM_ARRAY_TASK_ID=str(place), SLURMD_NODENAME="n1")
                if restarts > 0:
                    environment["SLURM_RESTART_COUNT"] = str(restarts)
                log = output.replace("%A", str(base)).replace("%a", str(place)).replace("%%", "%")
                with open(log, "ab") as out:
                    process = subprocess.Popen(["bash", "-c", text, script], cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                               stderr=out, start_new_session=True)
                connection.execute("UPDATE tasks SET state = 'RUNNING', reason = 'None', node = 'n1', pid = ? WHERE base = ? AND place = ?",
                                   (process.pid, base, place))
                alive[place] = process
            connection.execute("COMMIT")
        time.sleep(0.02)
    for process in alive.values():
        signal_all(process.pid, 9)


def squeue(connection, directory, words):
    options, _ = options_of(words, "toujpnw")
    ours = setting(connection, "user")
    if options.get("u") and ours and ours not in options["u"].split(","):
        return None
    columns, text = [], options.get("o", "%i %j %T %r %N")
    row = ""
    while text:
        if text[0] == "%":
            text = text[1:].lstrip(".0123456789")
            columns.append(FIELDS[text[0]])
            row += "%s"
        else:
            row += "%%" if text[0] == "%" else text[0]
        text = text[1:]
    chosen = "1" if options.get("t") == "all" else f"state IN {LIVE}"
    asked = connection.execute(f"SELECT {', '.join(columns)} FROM tasks WHERE shown AND {chosen} ORDER BY base, place")
    sys.stdout.write("".join(row % one + "\n" for one in asked))


def sacct(connection, directory, words):
    if not setting(connection, "accounting"):
        return fail("Slurm accounting storage is disabled")
    options, _ = options_of(words, "oSuE")
    columns = {"JobID": "base || '_' || place", "State": "state", "NodeList": "CASE node WHEN '' THEN 'None assigned' ELSE node END",
               "ExitCode": "exit_code", "JobName": "name"}
    names = [columns[name.partition("%")[0]] for name in options["o"].split(",")]
    between = options.get("delimiter", "|")
    for one in connection.execute(f"SELECT {', '.join(names)} FROM tasks ORDER BY base, place"):
        print(*one, sep=between)


def matched(words):
    """"12", "12_3" -> a condition."""
    return " OR ".join(f"(base = {int(base)}{f' AND place IN ({places})' if places else ''})"
                       for base, _, places in (word.partition("_") for word in words)) or "0"


def scancel(connection, directory, words):
    options, rest = options_of(words, "sun")
    condition = matched(rest) if rest else "name = '%s'" % options.get("name", options.get("n", "")).replace("'", "''")
    # Its own signal leaves the task where it is.
    if "s" in options or "signal" in options:
        import signal as signals

        word = options.get("s") or options.get("signal")
        number = int(word) if word.isdigit() else getattr(signals, "SIG" + word.removeprefix("SIG"))
        for (pid,) in connection.execute(f"SELECT pid FROM tasks WHERE pid > 0 AND ({condition})").fetchall():
            signal_all(pid, number)
        return None
    ended = connection.execute(f"UPDATE tasks SET state = 'CANCELLED' WHERE state IN {LIVE} AND ({condition}) RETURNING pid").fetchall()
    for (pid,) in ended:
        signal_all(pid, 15)
    known = connection.execute(f"SELECT count(*) FROM tasks WHERE {condition}").fetchone()[0]
    return None if known else fail(f"scancel: error: Kill job error on job id {' '.join(rest)}: Invalid job id specified")


def sinfo(connection, directory, words):
    options, _ = options_of(words, "opn")
    for name, state, reason in connection.execute("SELECT name, state, reason FROM nodes ORDER BY name").fetchall():
        row = options.get("o", "%N %P %T")
        for field, value in (("%N", name), ("%P", "main*"), ("%T", state), ("%f", "(null)"), ("%G", "(null)"), ("%E", reason)):
            row = row.replace(field, value)
        print(row)


def scontrol(connection, directory, words):
    if words[:2] == ["show", "config"]:
        print("ClusterName             = stub\nMaxArraySize            = %d" % setting(connection, "array_size"))
    elif words[:2] == ["show", "hostnames"]:
        import re

        for part in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", words[2]):
            name, _, listed = part.partition("[")
            for number in indices(listed.rstrip("]")) if listed else [""]:
                print(f"{name}{number}")
    elif words[:1] == ["release"]:
        connection.execute(f"UPDATE tasks SET state = 'PENDING', reason = 'Resources' WHERE reason LIKE '%Held%' AND ({matched(words[1:])})")
    elif words[:1] == ["hold"]:
        connection.execute(f"UPDATE tasks SET reason = 'JobHeldUser' WHERE state = 'PENDING' AND ({matched(words[1:])})")
    else:
        return fail(f"scontrol: the stub has no {' '.join(words)}")
    return None


def fail(text):
    print(text, file=sys.stderr)
    return 1


def main():
    directory, program, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    if program == "install":
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        print(SlurmStub(directory, int(words[0]) if words else 0).bin)
        return 0
    connection = database(directory)
    if program == "set":
        connection.execute(f"UPDATE tasks SET state = ?, reason = ? WHERE state IN {LIVE}", (words[0], words[1] if len(words) > 1 else "None"))
        return 0
    if setting(connection, "down") and program in PROGRAMS:
        return fail(f"{program}: error: {DOWN}")
    known = dict(zip(PROGRAMS, (sbatch, squeue, scancel, sinfo, sacct, scontrol)), **{"run-job": run_job})
    return known[program](connection, directory, words) or 0


if __name__ == "__main__":
    sys.exit(main())
