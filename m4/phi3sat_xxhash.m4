# phi3sat_xxhash.m4 - xxHash (XXH3, 128 bits) names prompts and fingerprints models.

AC_DEFUN([PHI3SAT_XXHASH], [
  PKG_CHECK_MODULES([XXHASH], [libxxhash >= 0.8], [phi3sat_xxhash="`$PKG_CONFIG --modversion libxxhash`"],
    [phi3sat_xxhash=no
     PHI3SAT_MISSING([xxHash 0.8 or later], [libxxhash-dev])])
  PHI3SAT_NOTE([xxHash], [$phi3sat_xxhash])
])
