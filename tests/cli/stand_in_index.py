"""An index on this machine that looks like PyPI and PyTorch's, with wheels that hold nothing: what installers make of a recipe.

    URL/simple/NAME/        PyPI: every package of the answers, a newer version of each, torch without a local part
    URL/whl/cu126/NAME/     PyTorch's: torch as 2.14.1+cu126, and like the real one an old NumPy, which uv would take first
    URL/rocm/0.31.0/rocm723/NAME/  vLLM's: a build for ROCm with its torch; what builds for ROCm and Intel's GPUs require is on their index alone
"""

import http.server
import io
import re
import threading
import zipfile

# Whatever is asked of such a module is there.
MODULE = '''__version__ = %r
class Any(object):
    def __getattr__(self, name):
        return self
    def __call__(self, *_):
        return self
    def __repr__(self):
        return "look-alike"
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Any()
'''
# What packages require, as the real ones do: without the pin that an answer holds back, the newest cuDNN would come.
REQUIRES = {"torch": ["filelock"], "vllm": ["torch==2.10.0"],
            "jax": ['nvidia-cudnn-cu12>=9.8; extra == "cuda12"', 'nvidia-cudnn-cu13>=9.8; extra == "cuda13"'],
            "tensorflow": ['nvidia-cudnn-cu12>=9.3; extra == "and-cuda"']}
REQUIRES_OF = {"2.14.1+rocm7.2": ["filelock", "triton-rocm==3.8.0"], "2.14.1+xpu": ["filelock", "triton-xpu==3.8.0"],
               "2.13.0+git733fca1": ["filelock", "triton==3.8.0+git1"], "0.31.0+rocm723": ["torch==2.13.0+git733fca1", "amd-aiter==0.1.23"]}
MODULES = {"tensorflow-cpu": "tensorflow", "nvidia-cudnn-cu12": "nvidia", "nvidia-cudnn-cu13": "nvidia"}


def wheel_of(name, version):
    """(file name, bytes)"""
    module, requires = MODULES.get(name, name.replace("-", "_")), REQUIRES_OF.get(version, REQUIRES.get(name, []))
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    extras = sorted(set(re.findall(r'extra == "([^"]+)"', " ".join(requires))))
    head = [f"Name: {name}", f"Version: {version}", *(f"Provides-Extra: {one}" for one in extras), *(f"Requires-Dist: {one}" for one in requires)]
    contents = {f"{module}/__init__.py": MODULE % version, f"{info}/METADATA": "\n".join(["Metadata-Version: 2.1", *head, ""]),
                f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    contents[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*contents, f"{info}/RECORD"])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in contents.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return f"{name.replace('-', '_')}-{version}-py3-none-any.whl", buffer.getvalue()


class StandIn(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answering)
        self.houses = {}  # "simple", "whl/cu126" -> {package: {file name: bytes}}
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        for name, version in (("filelock", "3.20.0"), ("numpy", "2.5.0"), ("nvidia-cudnn-cu12", "9.28.0.42"),
                              ("nvidia-cudnn-cu13", "9.28.0.42"), ("torch", "2.10.0")):
            self.add("simple", name, version)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def add(self, house, name, version):
        file, content = wheel_of(name, version)
        self.houses.setdefault(house, {}).setdefault(name, {})[file] = content

    def add_answer(self, name, version, build):
        """What one line of requirements stands for; `build`: of PyTorch's index, or ""."""
        if build == "rocm723" or build.startswith("git"):
            for package, of in ((name, version), ("triton", "3.8.0+git1"), ("amd-aiter", "0.1.23")):
                self.add("rocm/0.31.0/rocm723", package, of)
            self.add("simple", name, version.partition("+")[0])
            self.add("simple", "triton", "3.9.0")
        elif build:
            self.add(f"whl/{build}", name, version)
            kind = re.match("[a-z]+", build)[0]
            if kind in ("rocm", "xpu"):
                self.add(f"whl/{build}", f"triton-{kind}", "3.8.0")
            self.add(f"whl/{build}", "numpy", "2.1.2")
            self.add("simple", name, version.partition("+")[0])
        else:
            self.add("simple", name, version)
        self.add("simple", name, "99.0")

    def handle_error(self, request, client_address):
        """Clients that went away."""


class Answering(http.server.BaseHTTPRequestHandler):
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_HEAD(self):  # uv asks for ranges first
        self.send_response(405)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        house, _, rest = self.path.strip("/").rpartition("/")
        files, kind = self.server.houses.get(house, {}).get(rest), "text/html"
        body = None
        if files is not None:
            links = "".join(f'<a href="{self.server.url}/{house}/{rest}/{name.replace("+", "%2B")}">{name}</a>\n' for name in files)
            body = f"<!DOCTYPE html><html><body>{links}</body></html>".encode()
        else:
            above, _, package = house.rpartition("/")
            body, kind = self.server.houses.get(above, {}).get(package, {}).get(rest.replace("%2B", "+")), "application/octet-stream"
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")
