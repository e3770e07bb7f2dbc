# phi3sat_missing.m4 - collects what is missing, and the summary.
#
# To add a library: write m4/phi3sat_NAME.m4 with one macro that sets NAME_CFLAGS and
# NAME_LIBS or calls PHI3SAT_MISSING, call it in configure.ac ahead of
# PHI3SAT_REPORT_MISSING, and name the packages in bootstrap's list.

# PHI3SAT_MISSING(WHAT, DEBIAN-PACKAGES)
AC_DEFUN([PHI3SAT_MISSING], [
  phi3sat_missing="$phi3sat_missing
    $1 (Debian: $2)"
  phi3sat_packages="$phi3sat_packages $2"
])

# PHI3SAT_NOTE(NAME, VALUE): one more line of the summary.
AC_DEFUN([PHI3SAT_NOTE], [
  phi3sat_notes="$phi3sat_notes
    m4_format([%-14s], [$1]) $2"
])

AC_DEFUN([PHI3SAT_REPORT_MISSING], [
  AS_IF([test -n "$phi3sat_missing"], [
    AC_MSG_ERROR([these are missing:$phi3sat_missing
  Install them with: apt-get install$phi3sat_packages])
  ])
])

AC_DEFUN([PHI3SAT_SUMMARY], [
  PHI3SAT_NOTE([prefix], [$prefix])
  AS_ECHO(["
  phi3sat $PACKAGE_VERSION is configured:
$phi3sat_notes
"])
])
