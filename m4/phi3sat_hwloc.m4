# phi3sat_hwloc.m4 - hwloc: the machine's cores, NUMA domains and memory.

AC_DEFUN([PHI3SAT_HWLOC], [
  PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.0], [phi3sat_hwloc="`$PKG_CONFIG --modversion hwloc`"],
    [phi3sat_hwloc=no
     PHI3SAT_MISSING([hwloc 2.0 or later], [libhwloc-dev])])
  PHI3SAT_NOTE([hwloc], [$phi3sat_hwloc])
])
