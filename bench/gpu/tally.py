"""Indicators that ran once each: their documents, a line each in a file, and how many were right."""
import json

from machine import progress, verdict


class Tally:
    """`path`: the file of JSON documents, written anew."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")  # pylint: disable=consider-using-with  # open as long as the part runs
        self.count, self.wrong, self.skipped = 0, [], {}

    def add(self, words, found):
        """Keeps what an indicator told; "right", or why not."""
        print(json.dumps(found), file=self.file, flush=True)
        told = verdict(found)
        self.count += 1
        if told != "right":
            self.wrong.append(f"{words}: {told}")
        progress(f"{words}: {told}")
        return told

    def skip(self, words, wanting):
        """Keeps what did not run, for want of time or of a library."""
        self.skipped.setdefault(wanting, []).append(words)

    def summary(self):
        """At the end: nothing is added behind it."""
        self.file.close()
        yield ""
        yield f"{self.count} ran, {self.count - len(self.wrong)} of them right" + "".join(f"; {one}" for one in self.wrong) + "."
        for wanting, left_out in self.skipped.items():
            yield f"Not run, for want of {wanting}: {'; '.join(left_out)}."
