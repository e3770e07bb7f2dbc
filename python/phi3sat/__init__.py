"""Reads the archives of phi3sat: frozen, dead and redundant FFN neurons of language models.

    import phi3sat
    a = phi3sat.open("report.h5")
    a.table()
"""
from .archive import Archive, ArchiveError, open_archive
from .version import __version__

open = open_archive  # as in phi3sat.open("report.h5")

__all__ = ["Archive", "ArchiveError", "open", "open_archive", "__version__"]
