# phi3sat_openmp.m4 - threads; without them, at least the simd pragmas.

AC_DEFUN([PHI3SAT_OPENMP], [
  AC_OPENMP
  AS_IF([test -z "$OPENMP_CFLAGS"], [
    AX_CHECK_COMPILE_FLAG([-fopenmp-simd], [OPENMP_CFLAGS="-fopenmp-simd -Wno-unknown-pragmas"], [], [-Werror])
    phi3sat_openmp="no: one thread (for clang: Debian package libomp-dev)"
  ], [phi3sat_openmp="$OPENMP_CFLAGS"])
  PHI3SAT_NOTE([OpenMP], [$phi3sat_openmp])
])
