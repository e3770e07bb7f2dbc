# phi3sat_compression.m4 - zlib and Zstandard, for prompts that are compressed.

AC_DEFUN([PHI3SAT_COMPRESSION], [
  PKG_CHECK_MODULES([ZLIB], [zlib], [phi3sat_zlib="`$PKG_CONFIG --modversion zlib`"],
    [phi3sat_zlib=no
     PHI3SAT_MISSING([zlib], [zlib1g-dev])])
  PKG_CHECK_MODULES([ZSTD], [libzstd >= 1.4], [phi3sat_zstd="`$PKG_CONFIG --modversion libzstd`"],
    [phi3sat_zstd=no
     PHI3SAT_MISSING([Zstandard 1.4 or later], [libzstd-dev])])
  PHI3SAT_NOTE([zlib], [$phi3sat_zlib])
  PHI3SAT_NOTE([Zstandard], [$phi3sat_zstd])
])
