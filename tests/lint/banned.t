#!/bin/bash
# banned.t - calls and words that have one place in the tree, or none.
. "$(dirname "$0")/lint.sh"

all_code=$tap_home/work/code
code "${sources[@]}" >"$all_code"

# except REGEX: drops the findings of the files where the rule does not hold.
except() { grep -Ev "^($1):" || true; }
find_code() { grep -E "$1" "$all_code" || true; }

find_code '(^|[^A-Za-z0-9_])P?MPI_[A-Z]' | except 'src/cluster/[^:]*|src/main\.c' |
    none "MPI is used in cluster and main.c only"
find_code '(^|[^A-Za-z0-9_])(H5[A-Z]+[a-z_][A-Za-z0-9_]*[[:space:]]*\(|hid_t|herr_t|hsize_t)' |
    except 'src/archive/[^:]*' | none "HDF5 is used in archive only"
find_code "$(calls exit)" | except 'src/main\.c' | none "exit is called in main.c only"
find_code "$(calls 'printf|vprintf|puts|putchar|perror')|[^A-Za-z0-9_](stdout|stderr)[^A-Za-z0-9_]" |
    except 'src/base/log\.c|src/report/[^:]*' | none "the user is written to from base/log.c and report only"
find_code "$(calls 'malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|strdup|strndup|free')" |
    except 'src/base/memory\.c' | none "memory comes from base/memory.c only"
find_code "$(calls 'strcpy|stpcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atof|alloca|strtok')" |
    none "no call that knows no size, hides an error or keeps a state"
find_code '#[[:space:]]*pragma[[:space:]]+omp|[^A-Za-z0-9_]omp_[a-z]|_Pragma' |
    except 'src/base/threads\.[ch]|src/kernels/[^:]*' | none "OpenMP is used in base/threads and kernels only"
find_code '#[[:space:]]*if[[:space:]]+0' | none "no code is switched off"

# Names of folders that exist on one machine only. Written so that this file does not match.
machine='(^|[^A-Za-z0-9_}])/(wor''k|roo''t|hom''e/[a-z]+)(/|[^a-z/_.-]|$)'
mapfile -t tracked < <(find src include tests m4 data docs jobs man bootstrap .ci configure.ac Makefile.am README.md \
    build-aux/build-id.sh build-aux/tap-totals.sh -type f \( -name '*.*' -o -perm -u+x \) 2>/dev/null | sort)
grep -EIn "$machine" "${tracked[@]}" | none "no path of somebody's machine in the tree"
grep -En '"[^"]*/tmp/' "${sources[@]}" | none "no fixed folder for temporary files in the program"

mapfile -t make_files < <(find . -maxdepth 3 -name local.mk -o -maxdepth 1 \( -name configure.ac -o -name Makefile.am \))
grep -En 'ffast-math|Ofast|march=native' "${make_files[@]}" m4/*.m4 | none "no flag that changes results"

# The lint itself.
cat >"$tap_home/work/x.c" <<'END'
/* exit(1); */ const char *s = "exit(1) \" exit(2)";
int c = '"'; exit(3);
/* a
   exit(4); */ x_exit(5); exit (6);
END
is "$(code "$tap_home/work/x.c" | grep -E "$(calls exit)" | sed 's/.*x.c:\([0-9]*\):.*/\1/' | tr '\n' ' ')" "2 4 " \
    "calls in comments, strings and other names are not taken for calls"
done_testing
