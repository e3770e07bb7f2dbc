# phi3sat_hdf5.m4 - serial HDF5 with its high-level part (dimension scales).
#
# 'hdf5-serial' comes first: the plain name turns into the MPI build where that is
# installed. No .pc file knows the high-level library, so it is put ahead by hand.

AC_DEFUN([PHI3SAT_HDF5], [
  phi3sat_hdf5=no
  PKG_CHECK_MODULES([HDF5], [hdf5-serial >= 1.10], [phi3sat_hdf5="`$PKG_CONFIG --modversion hdf5-serial`"], [
    PKG_CHECK_MODULES([HDF5], [hdf5 >= 1.10], [phi3sat_hdf5="`$PKG_CONFIG --modversion hdf5`"], [:])
  ])
  AS_IF([test "$phi3sat_hdf5" != no], [
    phi3sat_saved_cflags="$CFLAGS"
    phi3sat_saved_libs="$LIBS"
    CFLAGS="$CFLAGS $HDF5_CFLAGS"
    # -L options have to stand ahead of the library they find.
    HDF5_LIBS="`for word in $HDF5_LIBS; do case $word in -L*) AS_ECHO_N([\"$word \"]);; esac; done`-lhdf5_hl $HDF5_LIBS"
    LIBS="$HDF5_LIBS $LIBS"
    AC_MSG_CHECKING([whether HDF5 with dimension scales links])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([#include <hdf5.h>
#include <hdf5_hl.h>], [return H5DSset_scale(0, "x") + H5open();])],
      [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no]); phi3sat_hdf5=no])
    CFLAGS="$phi3sat_saved_cflags"
    LIBS="$phi3sat_saved_libs"
  ])
  AS_IF([test "$phi3sat_hdf5" = no], [PHI3SAT_MISSING([HDF5 1.10 or later with its high-level library], [libhdf5-dev])])
  PHI3SAT_NOTE([HDF5], [$phi3sat_hdf5])
])
