# phi3sat_compiler.m4 - language level, floating-point rules and warnings.
#
# -ffp-contract=off is no matter of taste: results are the same bits on every
# machine only if the compiler fuses nothing that the source does not fuse.

AC_DEFUN([PHI3SAT_COMPILER], [
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat the compiler's warnings as errors])],
    [], [enable_werror=no])

  PHI3SAT_CFLAGS=
  AX_CHECK_COMPILE_FLAG([-ffp-contract=off], [],
    [AC_MSG_ERROR([the compiler does not take -ffp-contract=off, without which results depend on it; use gcc or clang])],
    [-Werror])
  m4_foreach_w([flag], [-std=gnu11 -ffp-contract=off -Wall -Wextra -Wshadow -Wstrict-prototypes -Wvla], [
    AX_CHECK_COMPILE_FLAG(flag, [PHI3SAT_CFLAGS="$PHI3SAT_CFLAGS flag"], [], [-Werror])
  ])
  AS_IF([test "x$enable_werror" = xyes], [PHI3SAT_CFLAGS="$PHI3SAT_CFLAGS -Werror"])
  AC_SUBST([PHI3SAT_CFLAGS])
  phi3sat_cc_version=`$CC --version 2>/dev/null | head -n 1`
  PHI3SAT_NOTE([compiler], [$CC ($phi3sat_cc_version)])
  PHI3SAT_NOTE([flags], [$PHI3SAT_CFLAGS $CFLAGS])
])
