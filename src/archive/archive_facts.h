/* archive_facts.h - what an archive says about itself, apart from its arrays.
 *
 * Flow: command, model, prompts -> *facts* -> archive -> report, merge, resume.
 *
 * `struct archive_facts` is what was measured: the root's attributes and the group
 * `model`. It is the same to the bit however the run went, and two archives with
 * different facts (prompts apart) can't be merged. `struct archive_run` is how the
 * run went: the attributes of the group `run`, which no comparison looks at.
 */
#ifndef PHI3SAT_ARCHIVE_ARCHIVE_FACTS_H
#define PHI3SAT_ARCHIVE_ARCHIVE_FACTS_H

#include <stdint.h>
#include <stddef.h>

#include "../stats/criteria.h"

/* What was measured. Strings are UTF-8, at most what the arrays hold. Hashes are
 * XXH3 of 128 bits: [0] the low 64 bits, [1] the high ones; as text 32
 * hexadecimal digits, the high ones first. */
struct archive_facts {
    /* the model: hashes of canonical names, shapes and decoded float32 values */
    uint64_t model_fingerprint[2];  /* of all layers and globals              */
    uint64_t globals_fingerprint[2];
    uint64_t (*layer_fingerprint)[2]; /* [layers][2]; borrowed by the writer, owned by a reader */
    char architecture[64];          /* "phi3"                                 */
    uint64_t layers;
    uint64_t hidden_size;
    uint64_t intermediate_size;     /* neurons a layer                        */
    uint64_t heads;
    uint64_t kv_heads;
    uint64_t head_dimension;
    uint64_t rotary_dimension;
    uint64_t vocabulary;
    uint64_t context;               /* the model's, in tokens                 */
    double rms_epsilon;
    double rope_base;

    /* how it was run */
    uint64_t context_used;          /* longest prompt allowed, in tokens      */
    uint64_t window;                /* sliding window in tokens; 0: none      */
    char rotary[128];               /* "none", "longrope (4096)" ...          */
    char precision[32];             /* "f32", "int16", "int8"                 */

    /* the prompts, as they were run */
    uint64_t prompts_fingerprint[2]; /* prompt_set_fingerprint                */
    uint64_t prompts;               /* each repetition counts                 */
    uint64_t tokens;                /* positions run, skipped ones included   */
    uint64_t prompts_cut;           /* too long for the context: cut          */
    uint64_t prompts_repeated;      /* prompts beyond the first of their hash */
    uint64_t skip_first;            /* positions of each prompt left out      */

    struct criteria criteria;
};

/* How the run went. Strings are borrowed; NULL leaves an attribute out. Bytes that
 * are no UTF-8 are written as '?'. */
struct archive_run {
    const char *program_version;
    const char *build;              /* PHI3SAT_BUILD_ID                       */
    const char *started;            /* UTC, "2026-12-02T06:38:22Z"            */
    const char *finished;
    const char *command_line;
    const char *model_file;
    const char *model_kind;         /* "GGUF v3"                              */
    const char *weight_types;       /* "F32 65, Q4_K 81, Q5_K 32, Q6_K 17"    */
    const char *prompts_source;
    const char *prompts_form;       /* "text", "JSON Lines, gzip"             */
    const char *chat_format;        /* --chat: "Phi-3"; NULL without          */
    const char *hosts;              /* names, separated by spaces             */
    const char *grid;               /* "4x1"                                  */
    const char *stage_layers;       /* "0-15 16-31"                           */
    const char *kernels;            /* "avx512"                               */
    const char *partial;            /* "37 of 100 prompts": the run goes on; NULL: all are there */
    const char *resumed_from;
    const char *merged_from;        /* names, separated by spaces             */
    uint64_t own_memory;            /* bytes of the rank that took the most   */
    uint64_t mapped_memory;         /* so for pages of files, the model's above all */
    uint64_t ranks;
    uint64_t threads;               /* a rank                                 */
    uint64_t batch_tokens;          /* rows of a chunk                        */
    uint64_t blank_lines;           /* of the source, skipped                 */
    uint64_t empty_prompts;         /* no tokens, skipped                     */
    uint64_t overlong_skipped;      /* --overlong skip                        */
    uint64_t malformed_prompts;     /* prompts with malformed UTF-8           */
    uint64_t broken_records;        /* no JSON, skipped                       */
    uint64_t unusable_records;      /* no field that phi3sat knows, skipped   */
    uint64_t nul_prompts;           /* prompts with NUL bytes                 */
    uint64_t unknown_bytes;         /* bytes without a token                  */
    uint64_t double_bos_prompts;    /* begin with BOS themselves, one kept    */
    uint64_t carriage_returns;      /* at line ends, dropped                  */
    uint64_t byte_order_marks;      /* dropped                                */
    uint64_t garbage_bytes;         /* behind compressed data, not used       */
    uint64_t ignored_entries;       /* of a folder, not read                  */
    uint64_t latin1_sources;        /* 1: looks like Latin-1, not UTF-8       */
    double seconds;
    double tokens_per_second;
};

/* What a checkpoint says beyond the facts, whose prompts are those that it holds. `nonfinite_...`: the first value
 * left out; nonfinite_seen 0: none. */
struct archive_checkpoint {
    uint64_t planned_fingerprint[2]; /* of all prompts of the run                    */
    uint64_t planned_prompts;
    uint64_t nonfinite_layer, nonfinite_prompt, nonfinite_position, nonfinite_series, nonfinite_neuron;
    uint64_t nonfinite_seen;
};

/* One attribute of these structs: the same table writes and reads. */
enum archive_facts_kind {
    ARCHIVE_FACTS_TEXT,     /* char[size]                       */
    ARCHIVE_FACTS_POINTER,  /* const char *, NULL: left out     */
    ARCHIVE_FACTS_COUNT,    /* uint64_t                         */
    ARCHIVE_FACTS_REAL,     /* double                           */
    ARCHIVE_FACTS_HASH      /* uint64_t[2], 32 hex digits       */
};

struct archive_facts_row {
    const char *name;
    enum archive_facts_kind kind;
    size_t offset;          /* into the struct                  */
    size_t size;            /* of a TEXT's array                */
    const char *meaning;    /* for docs and `inspect`           */
};

/* Ended by a row without a name. The criteria's own thresholds come from
 * criteria_table and are not among them. */
extern const struct archive_facts_row archive_facts_table[];
extern const struct archive_facts_row archive_facts_run_table[];
extern const struct archive_facts_row archive_facts_checkpoint_table[];

#define ARCHIVE_FACTS_HEX 33
/* 32 hexadecimal digits and a NUL; and back: false when `text` is no such hash. */
void archive_facts_hash_text(const uint64_t hash[2], char text[ARCHIVE_FACTS_HEX]);
bool archive_facts_hash_parse(const char *text, uint64_t hash[2]);

#endif
