#!/bin/bash
# listed.t - a file that no list names is neither built, nor run, nor shipped.
. "$(dirname "$0")/lint.sh"

for file in "${sources[@]}"; do
    list=$(dirname "$file")/local.mk
    [[ $file == src/main.c ]] && list=Makefile.am
    grep -Eq "(^|[^A-Za-z0-9_])$(basename "$file" | sed 's/\./\\./')([^A-Za-z0-9_.]|\$)" "$list" 2>/dev/null ||
        echo "$file is not in $list"
done | none "every source and header is listed in its room's local.mk"

lists=(src/*/local.mk docs/local.mk man/local.mk tests/local.mk tests/fuzz/local.mk)
mapfile -t programs < <(find tests/unit tests/mpi -name 'test_*.c' 2>/dev/null | sort)
for file in "${programs[@]}"; do
    grep -Eq "^check_PROGRAMS \+= (.* )?(${file%.c}|%D%/${file#tests/})( |\$)" "${lists[@]}" ||
        grep -Eq "(tests|%D%)/${file#tests/}" "${lists[@]}" || echo "$file is in no local.mk"
done | none "every unit test is listed"

mapfile -t scripts < <(find tests -name '*.t' | sort)
for file in "${scripts[@]}"; do
    grep -Eq "(tests|%D%)/${file#tests/}( |\$)" "${lists[@]}" || echo "$file is in no local.mk"
done | none "every shell test is listed"

find tests -name '*.t' ! -perm -u+x | sort | none "every shell test has its run bit"
ok "bootstrap and .ci/run have their run bits" test -x bootstrap -a -x .ci/run
done_testing
