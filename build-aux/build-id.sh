#!/bin/sh
# build-id.sh SRCDIR VERSION FILE - writes the header that names this build.
#
# The file is only touched when its text changes, so that a make with nothing to do
# compiles nothing. Only the source's own checkout is asked: a release unpacked inside
# some other project's checkout must not take that project's name.
set -eu
srcdir=$1 version=$2 file=$3

id=release
if test -e "$srcdir/.git"; then
    # Another owner of the checkout (root in a container) is no reason to lose the name.
    id=$(git -C "$srcdir" -c safe.directory='*' describe --always --dirty 2>/dev/null) || id=unknown
    # Two changed checkouts of one commit are two builds, and ranks must be able to tell.
    case $id in
    *-dirty) id=$id-$(git -C "$srcdir" -c safe.directory='*' diff HEAD 2>/dev/null | cksum | cut -d ' ' -f 1) ;;
    esac
fi
mkdir -p "$(dirname "$file")"
# Manual pages bear the date that CHANGELOG.md gives the version: the same bytes whenever they are made.
date=$(sed -n "s/^## $version (\([0-9-]*\))\$/\1/p" "$srcdir/CHANGELOG.md")
{
    echo "/* made by build-aux/build-id.sh */"
    echo "#define BUILD_ID \"$version ($id)\""
    echo "#define BUILD_VERSION \"$version\""
    echo "#define BUILD_DATE \"${date:-1970-01-01}\""
} >"$file.new"
if cmp -s "$file.new" "$file"; then
    rm -f "$file.new"
else
    mv -f "$file.new" "$file"
fi
