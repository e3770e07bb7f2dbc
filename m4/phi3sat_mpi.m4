# phi3sat_mpi.m4 - MPI: Open MPI by pkg-config, then MPICH, then whatever mpicc says.
#
# CC stays the plain compiler: MPI's flags go only to the rooms that may use it, so
# that a stray #include <mpi.h> elsewhere has a fair chance of not compiling.

AC_DEFUN([PHI3SAT_MPI], [
  AC_ARG_VAR([MPICC], [MPI compiler to ask for flags when pkg-config knows no MPI])
  phi3sat_mpi=no
  AS_IF([test -z "$MPICC"], [
    PKG_CHECK_MODULES([MPI], [ompi-c], [phi3sat_mpi="Open MPI `$PKG_CONFIG --modversion ompi-c`"], [
      PKG_CHECK_MODULES([MPI], [mpich], [phi3sat_mpi="MPICH `$PKG_CONFIG --modversion mpich`"], [:])
    ])
  ])
  AS_IF([test "$phi3sat_mpi" = no], [
    AC_PATH_PROGS([MPICC], [mpicc])
    AS_IF([test -n "$MPICC"], [
      AS_IF([MPI_CFLAGS=`$MPICC -showme:compile 2>/dev/null` && MPI_LIBS=`$MPICC -showme:link 2>/dev/null`],
        [phi3sat_mpi="$MPICC"], [
        # MPICH prints whole command lines; the first word is the compiler.
        MPI_CFLAGS=`$MPICC -compile-info 2>/dev/null | $AWK '{ $[]1 = ""; print }'`
        MPI_LIBS=`$MPICC -link-info 2>/dev/null | $AWK '{ $[]1 = ""; print }'`
        AS_IF([test -n "$MPI_LIBS"], [phi3sat_mpi="$MPICC"])
      ])
    ])
  ])
  AS_IF([test "$phi3sat_mpi" != no], [
    phi3sat_saved_cflags="$CFLAGS"
    phi3sat_saved_libs="$LIBS"
    CFLAGS="$CFLAGS $MPI_CFLAGS"
    LIBS="$MPI_LIBS $LIBS"
    AC_MSG_CHECKING([whether MPI programs link])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([#include <mpi.h>],
        [int provided; MPI_Init_thread(0, 0, MPI_THREAD_FUNNELED, &provided);])],
      [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no]); phi3sat_mpi=no])
    CFLAGS="$phi3sat_saved_cflags"
    LIBS="$phi3sat_saved_libs"
  ])
  AS_IF([test "$phi3sat_mpi" = no], [PHI3SAT_MISSING([MPI], [libopenmpi-dev openmpi-bin])])
  AC_PATH_PROG([MPIRUN], [mpirun])
  AC_SUBST([MPI_CFLAGS])
  AC_SUBST([MPI_LIBS])
  PHI3SAT_NOTE([MPI], [$phi3sat_mpi])
])
