-- Lmod's own form of phi3sat.tcl beside it. Copy it to a folder of MODULEPATH as phi3sat/0.1.0.lua.

local version = "0.1.0"
local prefix = pathJoin("/opt/phi3sat", version)

help([[phi3sat measures frozen, dead and redundant feed-forward neurons of language models over MPI ranks.
Begin with: man phi3sat]])
whatis("phi3sat: frozen and dead neurons of language models, measured over MPI ranks")

conflict("phi3sat")
-- depends_on("openmpi") -- the MPI that phi3sat was built with

prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("CPATH", pathJoin(prefix, "include"))
prepend_path("XDG_DATA_DIRS", pathJoin(prefix, "share"))
setenv("PHI3SAT_ROOT", prefix)
-- setenv("HDF5_USE_FILE_LOCKING", "FALSE") -- where HDF5's locks fail, as on some NFS and Lustre mounts
