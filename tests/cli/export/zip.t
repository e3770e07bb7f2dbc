#!/bin/bash
# zip.t - our ZIP files are whole for other readers, in the plain form and in zip64.
. "$(dirname "$0")/../../tap/tap.sh"
need_command python3
make_zip=$build_dir/tests/cli/export/make_zip
[[ -x $make_zip ]] || bail "no $make_zip: run make check"

cat >look.py <<'PY'
import struct, sys, zipfile
path, count, size, large = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "zip64"
piece = bytes(i * i // 251 % 256 for i in range(1 << 20))
with zipfile.ZipFile(path) as z:
    assert z.testzip() is None
    names = z.namelist()
    assert names == [f"folder{i % 3}/member{i}" for i in range(count)], names[:3]
    assert all(i.file_size == size and i.date_time == (1980, 1, 1, 0, 0, 0) for i in z.infolist())
    if count and size <= len(piece):
        assert z.read(names[-1]) == piece[:size]
    first = z.infolist()[0] if count else None
raw = open(path, "rb")
raw.seek(-22, 2)
end = struct.unpack("<IHHHHIIH", raw.read(22))
if large:
    raw.seek(-42, 2)
    assert raw.read(4) == b"PK\x06\x07", "there is a zip64 locator"
else:
    assert end[3] == end[4] == count and end[6] < 1 << 32
if first:
    # Readers that go from header to header: sizes stand in front of the data.
    raw.seek(0)
    head = struct.unpack("<IHHHHHIIIHH", raw.read(30))
    name, extra = raw.read(head[9]), raw.read(head[10])
    sizes = struct.unpack("<HHQQ", extra)[2:] if head[10] else (head[8], head[7])
    assert (head[7] == head[8] == 0xFFFFFFFF) == bool(head[10])
    assert sizes == (first.file_size, first.compress_size) and head[6] == first.CRC, (head, extra)
PY

# whole LIMIT HOW COUNT SIZE FORM
whole() {
    run "$make_zip" x.zip "$1" "$2" "$3" "$4"
    expect_status 0 "$3 members of $4 bytes, limit $1, $2"
    run python3 look.py x.zip "$3" "$4" "$5"
    expect_status 0 "Python's zipfile reads every byte of them, $5"
    if ((!$3)); then
        return
    elif command -v unzip >/dev/null; then
        run unzip -tq x.zip
        expect_status 0 "unzip finds no error"
    else
        skip 1 "unzip is not installed (Debian: unzip)"
    fi
}
for how in store compress; do
    whole 4294967294 $how 0 0 plain
    whole 4294967294 $how 1 0 plain
    whole 4294967294 $how 3 100000 plain
    whole 4294967294 $how 2 3000000 plain
    whole 0 $how 1 0 zip64
    whole 100 $how 5 70 zip64
    whole 100 $how 5 30 zip64
    whole 1000 $how 3 2500000 zip64
done
whole 200000 store 5 100000 zip64
whole 4294967294 store 65534 1 plain
whole 4294967294 store 65535 1 zip64
if ((long)); then
    # Beyond 4 GiB in earnest: only the member's own fields are large, since it shrinks.
    whole 4294967294 compress 1 4400000000 plain
fi
if [[ -e /dev/full ]]; then
    run "$make_zip" /dev/full 4294967294 store 1 1000
    expect_status 4 "what can't be written is told"
else
    skip 1 "no /dev/full"
fi
done_testing
