/* test_foreign.c - files that people take for GGUF are named for what they are. */
#include "formats/model_file.h"
#include "gguf_writer.h"
#include "tap.h"

#define BYTES(text) text, sizeof text - 1
#define CONVERT "; convert the model to GGUF first (llama.cpp's convert_hf_to_gguf.py)"
#define AGAIN "; download the file again"

static const struct {
    const char *claim, *bytes;
    size_t size;
    const char *line;
} cases[] = {
    {"an empty file", BYTES(""), "is empty (byte 0)" AGAIN},
    {"half a magic", BYTES("GG"), "is a GGUF file cut off inside its first four bytes (byte 0)" AGAIN},
    {"zeros", BYTES("\0\0\0\0\0\0\0\0\0\0\0\0"),
     "begins with nothing but zero bytes: a download that was never filled (byte 0)" AGAIN},
    {"safetensors", BYTES("\x40\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F32\"}}"), "is a safetensors file, and has no config.json beside it; give the folder of a Hugging Face model, whole, or a model in GGUF form"},
    {"a PyTorch zip", BYTES("PK\3\4\0\0\10\10archive/data.pkl"),
     "is a zip archive, as PyTorch writes its checkpoints (.pt, .pth, .bin) (byte 0)" CONVERT},
    {"a pickle", BYTES("\x80\2\x8a\nl\xfc\x9c"),
     "is a Python pickle, as old PyTorch wrote its checkpoints (byte 0)" CONVERT},
    {"old ggml", BYTES("lmgg\0\x7d\0\0"),
     "is an old ggml model (magic 'ggml', 2023) (byte 0); download a GGUF of this model, "
     "or convert the original weights again"},
    {"old ggmf", BYTES("fmgg\1\0\0\0"),
     "is an old ggml model (magic 'ggmf', 2023) (byte 0); download a GGUF of this model, "
     "or convert the original weights again"},
    {"old ggjt", BYTES("tjgg\3\0\0\0"),
     "is an old ggml model (magic 'ggjt', 2023) (byte 0); download a GGUF of this model, "
     "or convert the original weights again"},
    {"an old adapter", BYTES("algg\1\0\0\0"),
     "is an old ggml adapter (magic 'ggla', 2023) (byte 0); give the base model as GGUF"},
    {"gzip", BYTES("\x1f\x8b\x08\x00"), "is compressed with gzip (byte 0); unpack it and give the GGUF file inside"},
    {"xz", BYTES("\3757zXZ\0\0"), "is compressed with xz (byte 0); unpack it and give the GGUF file inside"},
    {"zstd", BYTES("\x28\xb5\x2f\xfd\x04"),
     "is compressed with zstd (byte 0); unpack it and give the GGUF file inside"},
    {"bzip2", BYTES("BZh91AY"), "is compressed with bzip2 (byte 0); unpack it and give the GGUF file inside"},
    {"our archive", BYTES("\x89HDF\r\n\x1a\n\0\0"),
     "is an HDF5 file, such as phi3sat's own archive, not a model (byte 0); "
     "give the model file here; archives go to phi3sat report"},
    {"a git LFS pointer", BYTES("version https://git-lfs.github.com/spec/v1\noid sha256:12\n"),
     "is a git LFS pointer, not the file it stands for (byte 0); fetch the file itself: git lfs pull"},
    {"a web page", BYTES("\n  <!DOCTYPE html>\n<html>"),
     "is a web page, not a model: the download link led to an error or log-in page (byte 0)" AGAIN},
    {"an S3 error", BYTES("\xef\xbb\xbf<?xml version=\"1.0\"?><Error>"),
     "is a web page, not a model: the download link led to an error or log-in page (byte 0)" AGAIN},
    {"JSON", BYTES("{\"architectures\": [\"Phi3ForCausalLM\"]}"),
     "is JSON text, not a model (byte 0); give the model's folder, its config.json or a model in GGUF form"},
    {"anything else",
     BYTES("\177ELF\2\1\1\0\0"),
     "is not a GGUF file (it begins with the bytes 7f 45 4c 46 02 01 01 00) (byte 0); give a model in GGUF form"},
    {"one byte", BYTES("x"), "is not a GGUF file (it begins with the bytes 78) (byte 0); give a model in GGUF form"},
};

static void refused(const char *claim, enum status wanted, const char *path, const char *line)
{
    struct model_file *file = NULL;
    struct error e;
    char got[2048] = "";
    is_int(model_file_open(&file, path, &e), wanted, "%s: bad input", claim);
    ok(!file, "%s: nothing is left open", claim);
    is_string(e.file, path, "%s: the file is named", claim);
    e.file[0] = 0;
    error_format(&e, got, sizeof got);
    is_string(got, line, "%s: its words", claim);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made_file.size = 0;
        put_bytes(cases[i].bytes, cases[i].size);
        refused(cases[i].claim, STATUS_INPUT, save_file("foreign"), cases[i].line);
    }
    made_file.size = 0;
    put_bytes("name", 4);
    put_data(0, 257);
    put_bytes("ustar", 5);
    refused("tar", STATUS_INPUT, save_file("foreign"),
            "is a tar archive (byte 0); unpack it and give the GGUF file inside");
    refused("no file", STATUS_INPUT, "/nowhere/model.gguf",
            "can't be opened: No such file or directory; check the path");
    refused("a folder", STATUS_INPUT, tap_folder(), 
            "is a folder without a config.json; give the folder of a Hugging Face model, whole, or a model in GGUF form");
    return tap_done();
}
