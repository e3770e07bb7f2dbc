# phi3sat_utf8proc.m4 - utf8proc for tokenizers that compose their text first (NFC).

AC_DEFUN([PHI3SAT_UTF8PROC], [
  PKG_CHECK_MODULES([UTF8PROC], [libutf8proc], [phi3sat_utf8proc="`$PKG_CONFIG --modversion libutf8proc`"],
    [phi3sat_utf8proc=no
     PHI3SAT_MISSING([utf8proc], [libutf8proc-dev])])
  PHI3SAT_NOTE([utf8proc], [$phi3sat_utf8proc])
])
