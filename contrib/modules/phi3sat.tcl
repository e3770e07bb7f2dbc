#%Module1.0
# Environment module of phi3sat, for Tcl modules and for Lmod, which reads this form too. Copy it to a folder of MODULEPATH as
# phi3sat/0.1.0, and set `prefix` to what was given to configure's --prefix.

set version 0.1.0
set prefix  /opt/phi3sat/$version

proc ModulesHelp {} {
    puts stderr "phi3sat measures frozen, dead and redundant feed-forward neurons of language models over MPI ranks."
    puts stderr "Begin with: man phi3sat"
}
module-whatis "phi3sat: frozen and dead neurons of language models, measured over MPI ranks"

conflict phi3sat

# The MPI that phi3sat was built with: name it here, so that a user can't mix two.
# prereq openmpi

prepend-path PATH            $prefix/bin
prepend-path MANPATH         $prefix/share/man
prepend-path CPATH           $prefix/include
prepend-path XDG_DATA_DIRS   $prefix/share
setenv       PHI3SAT_ROOT    $prefix

# On file systems where HDF5's locks fail, as some NFS and Lustre mounts:
# setenv HDF5_USE_FILE_LOCKING FALSE
