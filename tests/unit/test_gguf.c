/* test_gguf.c - every fault a GGUF file can have: status, place and words.
 *
 * Each case builds one wrong file and pins the position and the whole line that a user
 * sees (without the file's name). After the named faults come two sweeps over a good file, read
 * from a heap block of exactly its size so that AddressSanitizer sees any byte too
 * far: every truncation is refused, and no changed byte does harm.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "formats/gguf.h"
#include "formats/model_file.h"
#include "gguf_writer.h"
#include "tap.h"

#define DAMAGED "; the file is damaged; convert or download it again"
#define COPY "; the file is truncated or damaged; copy it again"

/* Opens what was written and expects this one line. */
static void refused(const char *claim, int64_t position, const char *line)
{
    struct model_file *file = (void *)&made_file;
    struct error e;
    char got[2048] = "";
    const char *path = save_file("bad.gguf");
    enum status status = model_file_open(&file, path, &e);
    is_int(status, STATUS_INPUT, "%s: bad input", claim);
    if (status != STATUS_INPUT) {
        model_file_close(file);
        return;
    }
    ok(!file, "%s: nothing is left open", claim);
    is_string(e.file, path, "%s: the file is named", claim);
    is_int(e.position, position, "%s: its place", claim);
    e.file[0] = 0;
    error_format(&e, got, sizeof got);
    is_string(got, line, "%s: its words", claim);
}

static void versions(void)
{
    put_header(1, 0, 0);
    refused("version 1", 4,
            "is a GGUF file of version 1 (32-bit lengths, 2023), which phi3sat does not read (version, "
            "byte 4); convert the model again with a current llama.cpp; versions 2 and 3 are read");
    put_header(0x02000000, 0, 0);
    refused("big-endian, version 2", 4,
            "is a big-endian GGUF file of version 2, which phi3sat does not know (version, byte 4); of big-endian files, "
            "version 3 is read");
    put_header(0x03000000, 1ull << 56, 0);
    refused("big-endian, one tensor, which isn't there", 8,
            "1 tensors are announced, but the file has only 0 more bytes (header, byte 8)" COPY);
    put_header(4, 0, 0);
    refused("version 4", 4,
            "is a GGUF file of version 4, which phi3sat does not know (version, byte 4); versions 2 and 3 are read");
    put_header(0, 0, 0);
    refused("version 0", 4,
            "is a GGUF file of version 0, which phi3sat does not know (version, byte 4); versions 2 and 3 are read");
}

static void counts(void)
{
    put_header(3, 0, 0);
    made_file.size = 12;
    refused("a header cut off", 8,
            "the file ends inside the number of tensors: 1 x 8 bytes wanted, 4 left (header, "
            "byte 8)" COPY);
    put_header(3, UINT64_MAX, 0);
    refused("2^64 - 1 tensors", 8,
            "18446744073709551615 tensors are announced, but the file has only 0 more bytes "
            "(header, byte 8)" COPY);
    put_header(3, 0, 1ull << 60);
    put_u32_key("k", 1);
    refused("2^60 keys", 16,
            "1152921504606846976 keys are announced, but the file has only 17 more bytes (header, "
            "byte 16)" COPY);
    put_header(3, 0, 2);
    put_u32_key("long enough for two", 1);
    refused("a key too few", 59,
            "the file ends inside the length of a name: 1 x 8 bytes wanted, 0 left (key 1, byte 59)" COPY);
}

static void names(void)
{
    put_header(3, 0, 1);
    put_key("", G_STRING);
    put_text("x");
    refused("a key without a name", 24, "a name is empty (key 0, byte 24)" DAMAGED);
    put_header(3, 0, 1);
    put_u64(3);
    put_bytes("a\0b", 3);
    put_u32(G_U32);
    put_u32(1);
    refused("a key's name with NUL", 24, "a name holds a NUL byte (key 0, byte 24)" DAMAGED);
    put_header(3, 0, 1);
    put_u64(UINT64_MAX - 7);
    put_number(0, 8);
    refused("a name longer than the file", 32,
            "the file ends inside a name: 18446744073709551608 x 1 bytes wanted, 8 "
            "left (key 0, byte 32)" COPY);
    put_header(3, 1, 0);
    put_tensor("a\nb", 0, 1, 0, 0);
    refused("a name that would write a second line", 39,
            "a tensor has a dimension of 0 (tensor \"a?b\", byte 39)" DAMAGED);
}

static void values(void)
{
    put_header(3, 0, 1);
    put_key("k", 13);
    put_u64(0);
    refused("a value of type 13", 33,
            "the type of a value is 13, which GGUF does not have (key \"k\", byte 33)" DAMAGED);
    put_header(3, 0, 1);
    put_key("k", G_U64);
    put_u32(0);
    refused("a value cut off", 37,
            "the file ends inside a value: 1 x 8 bytes wanted, 4 left (key \"k\", byte 37)" COPY);
    put_header(3, 0, 1);
    put_key("k", G_BOOL);
    put_number(2, 1);
    refused("a bool of 2", 37, "a bool is 2, neither 0 nor 1 (key \"k\", byte 37)" DAMAGED);
    put_header(3, 0, 1);
    put_key("k", G_STRING);
    put_u64(1ull << 63);
    refused("a string of 2^63 bytes", 45,
            "the file ends inside a string: 9223372036854775808 x 1 bytes wanted, 0 left "
            "(key \"k\", byte 45)" COPY);
    put_header(3, 0, 2);
    put_u32_key("twice", 1);
    put_u32_key("twice", 2);
    refused("a repeated key", 62, "a key is there twice (key \"twice\", byte 62)" DAMAGED);
}

static void put_array(const char *name, uint32_t type, uint64_t length)
{
    put_key(name, G_ARRAY);
    put_u32(type);
    put_u64(length);
}

static void arrays(void)
{
    put_header(3, 0, 1);
    put_array("k", 99, 1);
    refused("an array of type 99", 37,
            "the type of an array's elements is 99, which GGUF does not have (key \"k\", byte 37)" DAMAGED);
    put_header(3, 0, 1);
    put_array("k", G_U64, (1ull << 61) + 1);
    put_u64(0);
    refused("an array whose bytes wrap", 49,
            "the file ends inside the elements of an array: 2305843009213693953 x 8 bytes "
            "wanted, 8 left (key \"k\", byte 49)" COPY);
    put_header(3, 0, 1);
    put_array("k", G_STRING, UINT64_MAX);
    put_text("x");
    refused("2^64 - 1 strings", 41,
            "an array of 18446744073709551615 strings is announced, more than the 16777216 that phi3sat reads (key \"k\", "
            "byte 41)" DAMAGED);
    put_header(3, 0, 1);
    put_array("k", G_STRING, 1 << 24);
    put_text("x");
    refused("2^24 strings, of which one is there", 41,
            "an array of 16777216 strings is announced, but the file has only 9 more bytes (key \"k\", byte 41)" COPY);
    put_header(3, 0, 1);
    put_array("k", G_STRING, 2);
    put_text("x");
    put_u64(4);
    put_bytes("abc", 3);
    refused("a string of an array cut off", 66,
            "the file ends inside a string: 4 x 1 bytes wanted, 3 left (key \"k\", byte 66)" COPY);
    put_header(3, 0, 1);
    put_array("k", G_ARRAY, 1ull << 62);
    refused("2^62 arrays", 41,
            "an array of 4611686018427387904 arrays is announced, more than the 16777216 that phi3sat reads (key \"k\", "
            "byte 41)" DAMAGED);
    put_header(3, 0, 1);
    put_array("k", G_ARRAY, 1 << 24);
    for (int i = 0; i < 3; i++) {
        put_u32(G_U8);
        put_u64(0);
    }
    refused("2^24 empty arrays, of which three are there", 85,
            "the file ends inside the type of an array's elements: 1 x 4 bytes wanted, 0 left "
            "(key \"k\", byte 85)" COPY);
    put_header(3, 0, 1);
    put_array("k", G_ARRAY, 1);
    for (int i = 0; i < 100; i++) {
        put_u32(G_ARRAY);
        put_u64(1);
    }
    refused("arrays a hundred deep", 133, "arrays are nested more than 8 deep (key \"k\", byte 133)" DAMAGED);
}

static void alignments(void)
{
    static const struct {
        uint32_t value;
        const char *line;
    } wrong[] = {
        {0, "the alignment 0 is not a power of two from 1 to 1048576 (key \"general.alignment\", byte 53)" DAMAGED},
        {48, "the alignment 48 is not a power of two from 1 to 1048576 (key \"general.alignment\", byte 53)" DAMAGED},
        {1u << 30,
         "the alignment 1073741824 is not a power of two from 1 to 1048576 (key \"general.alignment\", byte 53)" DAMAGED},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        put_header(3, 0, 1);
        put_u32_key("general.alignment", wrong[i].value);
        refused("a wrong alignment", 53, wrong[i].line);
    }
    put_header(3, 0, 1);
    put_text_key("general.alignment", "32");
    refused("an alignment in words", 53,
            "the alignment is a value of type string, not u32 (key \"general.alignment\", "
            "byte 53)" DAMAGED);
}

static void splits(void)
{
    put_header(3, 0, 2);
    put_key("split.no", G_U16);
    put_number(1, 2);
    put_key("split.count", G_U16);
    put_number(3, 2);
    refused("part of a split model under another name", -1,
            "is part 2 of a model split into 3 files, but its name doesn't end in -00002-of-00003.gguf, so the others can't "
            "be found; give all parts the names that they had when they were made, or join them with llama-gguf-split "
            "--merge");
    put_header(3, 0, 1);
    put_key("split.count", G_U16);
    put_number(2, 2);
    refused("part of a split model, which is not said", -1,
            "is part of a model split into 2 files, but doesn't say which (key \"split.no\"); the file is damaged; download it "
            "again");
    put_header(3, 0, 2);
    put_key("split.no", G_U16);
    put_number(2, 2);
    put_key("split.count", G_U16);
    put_number(2, 2);
    refused("a part past the last", -1,
            "says that it is part 3 of 2 (key \"split.no\"); the file is damaged; download it again");
}

static void one_tensor(uint64_t columns, uint64_t rows, uint32_t type, uint64_t offset, size_t data)
{
    put_header(3, 1, 0);
    put_tensor("t", columns, rows, type, offset);
    put_data(data, 32);
}

static void shapes(void)
{
    put_header(3, 1, 0);
    put_text("t");
    put_u32(5);
    put_data(64, 32);
    refused("five dimensions", 33, "a tensor has 5 dimensions, not 1 to 4 (tensor \"t\", byte 33)" DAMAGED);
    put_header(3, 1, 0);
    put_text("t");
    put_u32(0);
    put_data(64, 32);
    refused("no dimensions", 33, "a tensor has 0 dimensions, not 1 to 4 (tensor \"t\", byte 33)" DAMAGED);
    one_tensor(4, 0, 0, 0, 64);
    refused("no rows", 45, "a tensor has a dimension of 0 (tensor \"t\", byte 45)" DAMAGED);
    one_tensor(1ull << 40, 1ull << 40, 0, 0, 64);
    refused("2^80 elements", 45, "a tensor has more than 2^63 elements (tensor \"t\", byte 45)" DAMAGED);
    one_tensor(1ull << 32, 1ull << 31, 0, 0, 64);
    refused("2^63 elements", 45, "a tensor has more than 2^63 elements (tensor \"t\", byte 45)" DAMAGED);
    one_tensor(1ull << 31, 1ull << 31, 0, 0, 64);
    refused("2^64 bytes", 53, "a tensor has more than 2^64 bytes (tensor \"t\", byte 53)" DAMAGED);
    one_tensor(1ull << 30, 1ull << 31, 0, 0, 64);
    refused("2^63 bytes", 96,
            "a tensor's data would lie at offset 0 with 9223372036854775808 bytes, beyond any file "
            "(tensor \"t\", byte 96)" DAMAGED);
    one_tensor(100, 2, 12, 0, 64);
    refused("a row that is no whole block", 53,
            "a row of 100 weights is no multiple of the 256 of a Q4_K block (tensor \"t\", byte 53)" DAMAGED);
}

static void types(void)
{
    one_tensor(256, 2, 142, 0, 64);
    refused("a fork's type", 53,
            "a tensor has type id 142, which phi3sat does not know (tensor \"t\", byte 53); forks of "
            "llama.cpp have types of their own; quantize the model with llama.cpp itself");
    one_tensor(256, 2, 1000, 0, 64);
    refused("a type that only safetensors files have", 53,
            "a tensor has type id 1000, which phi3sat does not know (tensor \"t\", byte 53); forks of "
            "llama.cpp have types of their own; quantize the model with llama.cpp itself");
    one_tensor(256, 2, 4, 0, 64);
    refused("a removed type", 53,
            "a tensor has type id 4 (Q4_2), which was removed from GGUF (tensor \"t\", byte 53); "
            "quantize the model again with a current llama.cpp");
    one_tensor(256, 2, 33, 0, 64);
    refused("a removed repacked type", 53,
            "a tensor has type id 33 (Q4_0_8_8), which was removed from GGUF (tensor \"t\", "
            "byte 53); quantize the model again with a current llama.cpp");
    one_tensor(256, 2, (uint32_t)-1, 0, 64);
    refused("a negative type", 53,
            "a tensor has type id -1, which phi3sat does not know (tensor \"t\", byte 53)" DAMAGED);
}

static void places(void)
{
    one_tensor(8, 2, 0, 0, 63);
    refused("the last byte missing", 96,
            "is truncated: a tensor's data ends at byte 160, the file at 159 (tensor \"t\", "
            "byte 96); the copy or download is incomplete; fetch the file again");
    one_tensor(8, 2, 0, 1ull << 40, 64);
    refused("data far away", 1099511627872,
            "is truncated: a tensor's data ends at byte 1099511627936, the file at 160 "
            "(tensor \"t\", byte 1099511627872); the copy or download is incomplete; fetch the file again");
    one_tensor(8, 2, 0, UINT64_MAX - 31, 64);
    refused("an offset that wraps", 96,
            "a tensor's data would lie at offset 18446744073709551584 with 64 bytes, beyond any "
            "file (tensor \"t\", byte 96)" DAMAGED);
    one_tensor(8, 2, 0, 4, 128);
    refused("an offset off the alignment", 57,
            "a tensor's data is at offset 4, no multiple of the alignment 32 (tensor \"t\", byte 57)" DAMAGED);
    put_header(3, 2, 0);
    put_tensor("a", 8, 2, 0, 32);
    put_tensor("b", 8, 2, 0, 0);
    put_data(96, 32);
    refused("data that overlap", 160, "a tensor's data overlaps that of \"b\" (tensor \"a\", byte 160)" DAMAGED);
    put_header(3, 2, 0);
    put_tensor("a", 8, 2, 0, 0);
    put_tensor("a", 8, 2, 0, 64);
    put_data(128, 32);
    refused("a repeated tensor", 73, "a tensor is there twice (tensor \"a\", byte 73)" DAMAGED);
    put_header(3, 1, 0);
    put_tensor("t", 8, 2, 0, 0);
    made_file.size -= 4;
    put_bytes("", 1);
    refused("a tensor's entry cut off", 57,
            "the file ends inside the offset of a tensor: 1 x 8 bytes wanted, 5 left (tensor \"t\", byte 57)" COPY);
}

/* ---- sweeps -------------------------------------------------------------------- */

/* A good file with every kind of key; its last byte is the last weight's. */
static void put_good(void)
{
    put_header(3, 2, 6);
    put_text_key("general.architecture", "phi3");
    put_u32_key("general.alignment", 16);
    put_array("tokens", G_STRING, 3);
    put_text("a");
    put_text("");
    put_text("ccc");
    put_array("scores", G_F32, 2);
    put_u64(0);
    put_array("nested", G_ARRAY, 2);
    put_u32(G_STRING);
    put_u64(1);
    put_text("x");
    put_u32(G_U16);
    put_u64(2);
    put_u32(0);
    put_key("flag", G_BOOL);
    put_number(1, 1);
    put_tensor("a", 4, 2, 0, 0);
    put_tensor("b", 32, 1, 2, 32);
    put_data(32 + 18, 16);
}

/* Reads `size` bytes from a heap block of that size. */
static enum status read_exactly(const uint8_t *bytes, size_t size)
{
    struct model_file file = {0};
    struct error e;
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        bail("no memory");
    memcpy(copy, bytes, size);
    file.mapping.bytes = copy;
    file.mapping.size = size;
    enum status status = gguf_read(&file, &e);
    view_free(&file);
    free(copy);
    return status;
}

static void sweep_truncations(void)
{
    size_t refusals = 0;
    put_good();
    is_int(read_exactly(made_file.bytes, made_file.size), STATUS_OK, "the file of the sweeps is good");
    for (size_t size = 4; size < made_file.size; size++)
        refusals += read_exactly(made_file.bytes, size) == STATUS_INPUT;
    is_uint(refusals, made_file.size - 4, "every shorter piece of it is refused");
}

static void sweep_bytes(void)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    size_t strange = 0, refusals = 0;
    put_good();
    for (size_t i = 4; i < made_file.size; i++) {
        uint8_t kept = made_file.bytes[i];
        for (size_t v = 0; v < sizeof values; v++) {
            made_file.bytes[i] = values[v];
            enum status status = read_exactly(made_file.bytes, made_file.size);
            strange += status != STATUS_OK && status != STATUS_INPUT;
            refusals += status == STATUS_INPUT;
        }
        made_file.bytes[i] = kept;
    }
    is_uint(strange, 0, "a changed byte is bad input or harmless, nothing else");
    ok(refusals > 500, "and often bad input (%zu times)", refusals);
}

int main(void)
{
    versions();
    counts();
    names();
    values();
    arrays();
    alignments();
    splits();
    shapes();
    types();
    places();
    sweep_truncations();
    sweep_bytes();
    return tap_done();
}
