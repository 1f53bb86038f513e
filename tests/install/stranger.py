# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stranger does with the installed tree of a build:

    stranger.py --build BUILD --source SOURCE tree|headers|cpp|pkg_config|python|program|exchange|...

`tree` installs into BUILD/installed, which the others use from a temporary folder. None may change a file of SOURCE."""
import argparse
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PYTHON = "/usr/bin/python3"


def run(*command, **options):
    """The output; the test ends where the command fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout[-6000:]}")
    return done.stdout


def demand(condition, sentence):
    if not condition:
        sys.exit(sentence)


def files_of(source):
    """Every file of the sources with its time of change."""
    result = {}
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in (".git", "build", "output", "__pycache__")]
        for name in names:
            path = pathlib.Path(folder) / name
            result[path] = path.lstat().st_mtime_ns
    return result


class Stranger:
    def __init__(self, build, source, folder):
        self.build, self.source, self.folder = build, source, folder
        self.prefix = build / "installed"
        self.environment = dict(os.environ, PYTHONPATH=str(self.prefix / "lib/python3/dist-packages"))
        self.examples = self.prefix / "share/doc/moreau/examples"

    def libraries(self):
        """lib, or lib/x86_64-linux-gnu."""
        return next(self.prefix.glob("lib/**/libmoreau_micro.a")).parent

    def tree(self):
        shutil.rmtree(self.prefix, ignore_errors=True)
        run("cmake", "--install", self.build, "--prefix", self.prefix)
        include = [path.name for path in (self.prefix / "include").iterdir()]
        demand(include == ["moreau"], f"Names in the path of headers: {include}")
        demand((self.prefix / "include/moreau/micro/impact.h").exists(), "micro/impact.h is not installed")
        demand(len(list((self.examples / "notebooks").glob("*.ipynb"))) >= 5, "the notebooks are not installed")
        for header in (self.prefix / "include").rglob("*.h"):
            for line in re.findall(r'#include "([^"]+)"', header.read_text()):
                demand(line.startswith("moreau/") and (self.prefix / "include" / line).exists(),
                       f"{header} includes {line}, which is not installed")
        for path in self.prefix.rglob("*"):
            if path.suffix in (".cmake", ".pc", ".py") and str(self.source) + "/" in path.read_text(errors="replace"):
                sys.exit(f"{path} names the folder of the sources")

    def headers(self):
        """Those of spheres and files compile without deal.II and MPI in sight, in alphabetical order and in the opposite
        one."""
        include = self.prefix / "include"
        headers = sorted(path.relative_to(include) for room in ("convex", "micro", "exchange")
                         for path in (include / "moreau" / room).rglob("*.h"))
        demand(len(headers) > 30, f"only {len(headers)} headers")
        for order in (headers, headers[::-1]):
            run("g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{include}", "-isystem",
                "/usr/include/eigen3", "-x", "c++", "-", input="".join(f"#include <{header}>\n" for header in order))
        print(len(headers), "headers compile")

    def built(self, name):
        """The examples of a folder, configured, built and run."""
        shutil.copytree(self.examples / name, self.folder / name)
        build = self.folder / name / "build"
        print(run("cmake", "-S", self.folder / name, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")[-500:])
        run("cmake", "--build", build, "-j", os.cpu_count())
        print(run("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error"))
        return build

    def cpp(self):
        build = self.built("cpp")
        needed = run("ldd", build / "three_spheres")
        for word in ("deal", "mpi", "vtk", "paraview", "trilinos"):
            demand(word not in needed.lower(), f"three_spheres needs {word}:\n{needed}")

    def exchange(self):
        """The example on files that it writes, then on files of numpy; the same program by pkg-config."""
        judge = self.built("exchange") / "judge"
        needed = run("ldd", judge)
        for word in ("deal", "vtk", "paraview", "trilinos"):
            demand(word not in needed.lower(), f"judge needs {word}:\n{needed}")
        run(PYTHON, "-c", "import numpy as np\nnp.savez('free.npz', B=[[1., -1.]], U=[1., 0.])\n"
            "np.savez('mine.npz', u=[.5, .5])\nnp.savez('wrong.npz', u=[.5, .4])", cwd=self.folder)
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.libraries() / "pkgconfig"))
        flags = run("pkg-config", "--cflags", "--libs", "moreau-exchange", env=environment).split()
        run("g++", "-O1", "-o", self.folder / "by_pkg_config", self.examples / "exchange/judge.cc", *flags)
        for program in (judge, self.folder / "by_pkg_config"):
            for answer, status in (("mine.npz", 0), ("wrong.npz", 2), ("nothing.npz", 1)):
                done = subprocess.run([program, "free.npz", answer], cwd=self.folder, stdout=subprocess.PIPE, text=True,
                                      stderr=subprocess.STDOUT, check=False)
                demand(done.returncode == status and done.stdout.count("\n") == 1, f"{program} {answer}: {done}")

    def continuum(self):
        self.built("continuum")

    def pkg_config(self):
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.libraries() / "pkgconfig"))
        flags = run("pkg-config", "--cflags", "--libs", "moreau-micro", env=environment).split()
        program = self.folder / "three_spheres"
        run("g++", "-O1", "-o", program, self.examples / "cpp/three_spheres.cc", *flags)
        print(run(program))

    def python(self):
        demand(str(self.prefix) in run(PYTHON, "-c", "import moreau; print(moreau.__file__)", env=self.environment,
                                       cwd=self.folder), "Python takes another moreau")
        everything = (self.prefix / "bin/moreau").exists()
        for example in sorted((self.examples / "python").glob("*.py")):
            if everything or example.stem not in ("continuum", "parameter_file"):
                print(example.name, run(PYTHON, example, env=self.environment, cwd=self.folder), sep="\n")
        names = run(PYTHON, "-c", "import moreau; help(moreau)", env=self.environment, cwd=self.folder)
        for name in ("impact", "project", "certify", "Motion", "macro_impact", "homogenize", "random_packing", "run",
                     "read"):
            demand(re.search(rf"\b{name}\(", names), f"help() does not know {name}")

    def program(self):
        program = self.prefix / "bin/moreau"
        run(program, self.prefix / "share/moreau/prm/quickstart.prm", "--quiet", "--output", self.folder / "quickstart")
        summary = json.loads((self.folder / "quickstart/summary.json").read_text())
        demand(summary["status"] == "converged", "the quickstart has not converged")
        run(program, self.prefix / "share/moreau/prm/homogenization/row.prm", "--quiet", "--output", self.folder / "row")
        demand((self.folder / "row/convergence.png").exists(), "gnuplot's scripts are not found")
        completion = next(self.prefix.glob("share/bash-completion/completions/moreau"))
        words = run("bash", "-c", f"source {completion}; _moreau_parameters {program}")
        for word in ("Spheres/Seed=", "Restitution=", "Mesh/Cells per unit length="):
            demand(word in words.splitlines(), f"{word} is not completed")
        manual = gzip.decompress((self.prefix / "share/man/man1/moreau.1.gz").read_bytes()).decode()
        for option in re.findall(r"--([a-z]+)", run(program, "--help")):
            demand(option.replace("-", "\\-") in manual, f"the manual page does not know --{option}")

    def packages(self):
        """Of Debian, unpacked below a folder of their own."""
        run("cpack", "--config", self.build / "CPackConfig.cmake", "-B", self.folder / "packages")
        root = self.folder / "root"
        for name in ("moreau", "libmoreau-dev", "python3-moreau"):
            package = next((self.folder / "packages").glob(f"{name}_*.deb"))
            run("dpkg-deb", "-x", package, root)
            facts = run("dpkg-deb", "-I", package)
            demand(f"Package: {name}\n" in facts and "Depends: " in facts, facts)
        demand([path.name for path in root.iterdir()] == ["usr"], "files outside of /usr")
        demand([path.name for path in (root / "usr/include").iterdir()] == ["moreau"], "names in the path of headers")
        for path in root.rglob("*"):
            if path.is_file() and not path.is_symlink() and path.suffix not in (".png", ".a"):
                text = path.read_bytes()
                demand(str(self.build).encode() not in text, f"{path} names the folder of the build")
        self.prefix = root / "usr"
        run(self.prefix / "bin/moreau", self.prefix / "share/moreau/prm/quickstart.prm", "--quiet", cwd=self.folder)
        summary = json.loads((self.folder / "output/quickstart/summary.json").read_text())
        demand(summary["status"] == "converged", "the quickstart has not converged")
        self.environment["PYTHONPATH"] = str(self.prefix / "lib/python3/dist-packages")
        print(run(PYTHON, self.prefix / "share/doc/moreau/examples/python/three_spheres.py", env=self.environment,
                  cwd=self.folder))
        self.examples = self.prefix / "share/doc/moreau/examples"
        self.cpp()

    def component(self):
        """The sources with MOREAU_COMPONENTS=micro, installed where nothing else is. The folder beside BUILD, the flags and
        the base of the compiler's cache are such that the cache of BUILD serves."""
        build = self.build.parent / f"{self.build.name}_component"
        shutil.rmtree(build, ignore_errors=True)
        run("cmake", "-G", "Ninja", "-S", self.source, "-B", build, "-DMOREAU_COMPONENTS=micro", "-DBUILD_TESTING=OFF",
            "-DMOREAU_WITH_PYTHON=OFF", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=", "-DCMAKE_UNITY_BUILD=ON",
            "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        cache = (build / "CMakeCache.txt").read_text()
        for word in ("deal.II_DIR", "MPI_CXX", "ParaView_DIR", "VORO"):
            demand(word not in cache, f"{word} was looked for")
        run("cmake", "--build", build, "-j", os.cpu_count(), env={"CCACHE_BASEDIR": str(self.source), **os.environ})
        self.prefix = self.folder / "installed"
        run("cmake", "--install", build, "--prefix", self.prefix)
        demand(not (self.prefix / "include/moreau/macro").exists(), "headers of the continuum are installed")
        self.examples = self.prefix / "share/doc/moreau/examples"
        self.cpp()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("what")
    arguments = parser.parse_args()
    before = files_of(arguments.source)
    with tempfile.TemporaryDirectory(prefix="moreau_stranger_") as folder:
        getattr(Stranger(arguments.build.resolve(), arguments.source.resolve(), pathlib.Path(folder)), arguments.what)()
    changed = {path for path, time in files_of(arguments.source).items() if before.get(path) != time}
    # an editor may be at work: only what appears is the fault of a test
    new = sorted(str(path) for path in changed - before.keys())
    demand(not new, f"Files appeared in the source tree: {', '.join(new)}")


if __name__ == "__main__":
    main()
