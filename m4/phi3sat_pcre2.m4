# phi3sat_pcre2.m4 - PCRE2 for the pre-tokenisers' Unicode patterns.

AC_DEFUN([PHI3SAT_PCRE2], [
  PKG_CHECK_MODULES([PCRE2], [libpcre2-8], [phi3sat_pcre2="`$PKG_CONFIG --modversion libpcre2-8`"],
    [phi3sat_pcre2=no
     PHI3SAT_MISSING([PCRE2 (8-bit)], [libpcre2-dev])])
  PHI3SAT_NOTE([PCRE2], [$phi3sat_pcre2])
])
