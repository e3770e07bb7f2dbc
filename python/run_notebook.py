#!/usr/bin/env python3
"""run_notebook.py - runs a notebook in place, so that its outputs are those of the code that stands in it.

    python/run_notebook.py python/profile.ipynb profile.h5

The archive's path reaches the notebook as PHI3SAT_ARCHIVE. What differs from run to run (times, versions of Python) is
left out of the file. Needs nbclient and ipykernel (Debian: python3-nbclient python3-ipykernel).
"""
import os
import sys

import nbformat
from nbclient import NotebookClient


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: run_notebook.py NOTEBOOK ARCHIVE")
    path, archive = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    os.environ["PHI3SAT_ARCHIVE"] = os.path.abspath(archive)
    os.environ["PYTHONPATH"] = os.pathsep.join(p for p in (here, os.environ.get("PYTHONPATH")) if p)
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3", record_timing=False).execute()
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}}
    nbformat.write(notebook, path + ".new")
    os.replace(path + ".new", path)


if __name__ == "__main__":
    main()
