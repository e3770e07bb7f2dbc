# phi3sat_sanitizers.m4 - AddressSanitizer and UndefinedBehaviorSanitizer together.

AC_DEFUN([PHI3SAT_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers], [build with address and undefined behaviour sanitizers])],
    [], [enable_sanitizers=no])
  SANITIZER_CFLAGS=
  AS_IF([test "x$enable_sanitizers" = xyes], [
    SANITIZER_CFLAGS="-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined"
    phi3sat_saved="$CFLAGS"
    CFLAGS="$CFLAGS $SANITIZER_CFLAGS"
    AC_MSG_CHECKING([whether sanitized programs link])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([--enable-sanitizers needs the compiler's libasan and libubsan])])
    CFLAGS="$phi3sat_saved"
  ])
  AC_SUBST([SANITIZER_CFLAGS])
  PHI3SAT_NOTE([sanitizers], [$enable_sanitizers])
])
