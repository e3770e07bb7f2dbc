#!/bin/bash
# contrib.t - the recipes of contrib/ are read by what will read them: Python, Tcl with stand-ins for the module commands, Lua.
. "$(dirname "$0")/../lint/lint.sh"
version=$(sed -n 's/^AC_INIT(\[phi3sat\], \[\([0-9.]*\)\])$/\1/p' configure.ac)

if command -v python3 >/dev/null; then
    recipe=contrib/spack/packages/phi3sat/package.py
    ok "the Spack recipe is Python" python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$recipe"
    # The words of Spack that it uses, collected: every library that configure looks for is a dependency.
    found=$(PYTHONDONTWRITEBYTECODE=1 python3 - "$recipe" <<'PY'
import sys, types
needs = []
module = types.ModuleType("spack.package")
module.AutotoolsPackage = object
module.depends_on = lambda spec, **more: needs.append(spec)
for word in "license", "version", "variant":
    setattr(module, word, lambda *more, **named: None)
module.make = None
sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), module
made = {}
exec(open(sys.argv[1]).read(), made)
assert made["Phi3sat"].__doc__
print(" ".join(sorted({n.split("@")[0].split("~")[0] for n in needs})))
PY
    )
    for macro in mpi hdf5 hwloc pcre2 xxhash; do
        [[ -e m4/phi3sat_$macro.m4 && " $found " == *" $macro "* ]] || echo "$macro"
    done | none "it depends on the libraries that configure asks for"
else
    skip 2 "python3 is not installed"
fi

if command -v tclsh >/dev/null; then
    cat >"$tap_home/work/module.tcl" <<'TCL'
proc record {args} { puts $args }
foreach word {module-whatis conflict prereq prepend-path setenv} { interp alias {} $word {} record $word }
source [lindex $argv 0]
ModulesHelp
TCL
    run tclsh "$tap_home/work/module.tcl" contrib/modules/phi3sat.tcl
    expect_status 0 "Tcl takes the module file"
    expect_stdout_match "^prepend-path PATH .*/$version/bin$" "it sets PATH, for this version"
    expect_stdout_match "^prepend-path MANPATH .*/$version/share/man$" "and where man looks"
else
    skip 3 "tclsh is not installed"
fi
is "$(sed -n 's/^local version = "\(.*\)"$/\1/p' contrib/modules/phi3sat.lua)" "$version" "Lmod's file names this version"
paths() { grep -o '[A-Z_]*PATH\|XDG_DATA_DIRS\|PHI3SAT_ROOT' "$1" | sort -u | grep -v MODULEPATH; }
is "$(paths contrib/modules/phi3sat.lua)" "$(paths contrib/modules/phi3sat.tcl)" "and sets what the other does"
lua=$(command -v luac || command -v luac5.4 || command -v luac5.3)
if [[ -n $lua ]]; then
    ok "Lua takes it" "$lua" -p contrib/modules/phi3sat.lua
else
    skip 1 "luac is not installed"
fi
done_testing
