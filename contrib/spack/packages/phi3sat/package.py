"""Spack recipe of phi3sat.

Until phi3sat is in Spack's own repository, from a checkout:

    spack repo add contrib/spack
    spack dev-build phi3sat@main
"""

from spack.package import *


class Phi3sat(AutotoolsPackage):
    """Measures which feed-forward neurons of language models are frozen, dead or redundant, over many prompts on MPI
    ranks, with exact statistics that are the same to the bit on any number of ranks."""

    license("Apache-2.0")

    # Sources come from the checkout that is built (spack dev-build, or "develop:" of an environment).
    version("main")
    has_code = True

    variant("openmp", default=True, description="Threads within a rank")

    depends_on("c", type="build")
    depends_on("autoconf@2.71:", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("autoconf-archive", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("mpi@3:")
    depends_on("hdf5~mpi+hl")
    depends_on("hwloc@2:")
    depends_on("pcre2")
    depends_on("utf8proc")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("zstd")

    def configure_args(self):
        # The compiler is the plain one: only src/cluster and main.c see MPI, by its pkg-config file.
        return [] if self.spec.satisfies("+openmp") else ["--disable-openmp"]

    def check(self):
        make("check")
