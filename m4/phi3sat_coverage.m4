# phi3sat_coverage.m4 - which lines and branches a run went through, counted by gcov.
#
# Counted at -O1, kernels too: at higher levels gcc folds lines together, and figures would be of its
# code rather than of ours. It stands ahead of the user's CFLAGS, so that theirs win. Threads that count
# at the same time may lose counts, which makes a figure smaller but never nought.

AC_DEFUN([PHI3SAT_COVERAGE], [
  AC_ARG_ENABLE([coverage],
    [AS_HELP_STRING([--enable-coverage], [build with counters of lines and branches (tests/coverage/run)])],
    [], [enable_coverage=no])
  COVERAGE_CFLAGS=
  AS_IF([test "x$enable_coverage" = xyes], [
    COVERAGE_CFLAGS="--coverage"
    phi3sat_saved="$CFLAGS"
    CFLAGS="$CFLAGS $COVERAGE_CFLAGS"
    AC_MSG_CHECKING([whether counted programs link])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([--enable-coverage needs the compiler's libgcov])])
    CFLAGS="-O1 $phi3sat_saved"
  ])
  AC_SUBST([COVERAGE_CFLAGS])
  PHI3SAT_NOTE([coverage], [$enable_coverage])
])
