# phi3sat_fuzz.m4 - what fuzz targets are linked with: our own replay.c, or an engine that brings a main of its own.

AC_DEFUN([PHI3SAT_FUZZ], [
  AC_ARG_WITH([fuzz-engine],
    [AS_HELP_STRING([--with-fuzz-engine=FLAGS],
      [link fuzz targets with FLAGS, such as -fsanitize=fuzzer, instead of replaying files (tests/fuzz/campaign)])],
    [], [with_fuzz_engine=no])
  FUZZ_ENGINE=
  AS_IF([test "x$with_fuzz_engine" = xyes], [AC_MSG_ERROR([--with-fuzz-engine needs flags, such as -fsanitize=fuzzer])])
  AS_IF([test "x$with_fuzz_engine" != xno], [
    FUZZ_ENGINE="$with_fuzz_engine"
    PHI3SAT_NOTE([fuzz engine], [$with_fuzz_engine])
  ])
  AC_SUBST([FUZZ_ENGINE])
  AM_CONDITIONAL([FUZZ_ENGINE], [test "x$with_fuzz_engine" != xno])
])
