# phi3sat_sanitizers.m4 - AddressSanitizer and UndefinedBehaviorSanitizer together, or ThreadSanitizer.

AC_DEFUN([PHI3SAT_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers@<:@=thread@:>@],
      [build with address and undefined behaviour sanitizers, or with that for threads])],
    [], [enable_sanitizers=no])
  AS_CASE([$enable_sanitizers],
    [yes], [SANITIZER_CFLAGS="-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined"],
    [thread], [SANITIZER_CFLAGS="-fsanitize=thread -fno-omit-frame-pointer"],
    [no], [SANITIZER_CFLAGS=],
    [AC_MSG_ERROR([--enable-sanitizers takes nothing, or thread])])
  AS_IF([test "x$SANITIZER_CFLAGS" != x], [
    phi3sat_saved="$CFLAGS"
    CFLAGS="$CFLAGS $SANITIZER_CFLAGS"
    AC_MSG_CHECKING([whether sanitized programs link])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([--enable-sanitizers needs the compiler's sanitizer libraries])])
    CFLAGS="$phi3sat_saved"
  ])
  AC_SUBST([SANITIZER_CFLAGS])
  PHI3SAT_NOTE([sanitizers], [$enable_sanitizers])
])
