# phi3sat_kernels.m4 - which instruction sets this compiler can build kernels for.
#
# Only the compiler is asked, not this machine's processor: the program chooses at
# start. The flags apply to one library each and never to the rest of the program.

AC_DEFUN([PHI3SAT_KERNELS], [
  KERNELS_AVX2_CFLAGS="-mavx2 -mfma -mf16c"
  KERNELS_AVX512_CFLAGS="-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni -mavx2 -mfma -mf16c -mprefer-vector-width=512"
  phi3sat_kernels="reference"

  AC_MSG_CHECKING([whether the target is x86-64])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [
#if !defined __x86_64__
#error other
#endif
])], [phi3sat_x86=yes], [phi3sat_x86=no])
  AC_MSG_RESULT([$phi3sat_x86])

  AC_MSG_CHECKING([whether the target is 64-bit ARM])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [
#if !defined __aarch64__
#error other
#endif
])], [phi3sat_neon=yes], [phi3sat_neon=no])
  AC_MSG_RESULT([$phi3sat_neon])

  phi3sat_avx2=no
  phi3sat_avx512=no
  AS_IF([test $phi3sat_x86 = yes], [
    AX_CHECK_COMPILE_FLAG([$KERNELS_AVX2_CFLAGS], [phi3sat_avx2=yes], [], [-Werror])
    AX_CHECK_COMPILE_FLAG([$KERNELS_AVX512_CFLAGS], [phi3sat_avx512=yes], [], [-Werror])
  ])
  AS_IF([test $phi3sat_avx2 = yes], [
    AC_DEFINE([HAVE_KERNELS_AVX2], [1], [Kernels for AVX2 and FMA are built])
    phi3sat_kernels="$phi3sat_kernels avx2"
  ])
  AS_IF([test $phi3sat_avx512 = yes], [
    AC_DEFINE([HAVE_KERNELS_AVX512], [1], [Kernels for AVX-512 with VNNI are built])
    phi3sat_kernels="$phi3sat_kernels avx512"
  ])
  AS_IF([test $phi3sat_neon = yes], [
    AC_DEFINE([HAVE_KERNELS_NEON], [1], [Kernels for NEON are built])
    phi3sat_kernels="$phi3sat_kernels neon"
  ])
  AM_CONDITIONAL([KERNELS_AVX2], [test $phi3sat_avx2 = yes])
  AM_CONDITIONAL([KERNELS_AVX512], [test $phi3sat_avx512 = yes])
  AM_CONDITIONAL([KERNELS_NEON], [test $phi3sat_neon = yes])
  AC_SUBST([KERNELS_AVX2_CFLAGS])
  AC_SUBST([KERNELS_AVX512_CFLAGS])
  PHI3SAT_NOTE([kernels], [$phi3sat_kernels])
])
