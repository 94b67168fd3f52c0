"""Answers of `stackx check` that strangers found wrong: each by what was asked, and what is right.

Yes, no and unknown alone are judged in tests/facts.
"""

from check_base import Check


class Answers(Check):
    def said(self, *arguments, **options):
        """The whole answer on one line."""
        return " ".join(self.check(*arguments, **{"exit_code": 1, **options}).stdout.split())

    def nearest(self, *arguments, **options):
        """What to install, by alternatives."""
        return [" ".join(one["install"]) for one in self.document(*arguments, **{"exit_code": 1, **options})["nearest"]]


class BuildsOfAnotherIndex(Answers):
    def test_their_wheels_pin_nvidias_libraries(self):
        for build, hw, pins in (("2.9.1+cu130", "h100", {"nvidia-cublas": "13.0.0.19", "nvidia-nccl-cu13": "2.27.7"}),
                                ("2.10.0+cu130", "h100", {"nvidia-cublas": "13.1.0.3", "nvidia-nvshmem-cu13": "3.4.5"}),
                                ("2.7.1+cu128", "b200", {"nvidia-cublas-cu12": "12.8.3.14", "nvidia-cudnn-cu12": "9.7.1.26"}),
                                ("2.7.1+cu118", "v100", {"nvidia-cublas-cu11": "11.11.3.6", "nvidia-nccl-cu11": "2.21.5"}),
                                ("2.14.1+cu126", "v100", {"nvidia-cublas-cu12": "12.6.4.1", "nvidia-cudnn-cu12": "9.10.2.21"}),
                                ("2.8.0+cu128", "h100", {"nvidia-cublas-cu12": "12.8.4.1"})):
            stack = self.document(f"torch=={build}", hw=hw)["stack"]
            self.assertEqual({name: stack.get(name) for name in pins}, pins, build)

    def test_what_is_not_known_of_them_is_not_named(self):
        for build in ("2.15.0+cu130", "2.14.1+cu132"):
            stack = self.document(f"torch=={build}")["stack"]
            self.assertEqual([name for name in stack if name.startswith("nvidia-")], ["nvidia-cudnn-cu13"], build)
