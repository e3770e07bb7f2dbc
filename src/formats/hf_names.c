/* hf_names.c - see hf_names.h. */
#include "hf_names.h"

#include <stdio.h>
#include <string.h>

/* Of a layer, behind "layers.N.". Fused rows lie in the same order in both: q, k, v; gate, up. */
static const char *const parts[][2] = {
    {"input_layernorm.weight", "attn_norm.weight"},
    {"self_attn.q_proj.weight", "attn_q.weight"},
    {"self_attn.k_proj.weight", "attn_k.weight"},
    {"self_attn.v_proj.weight", "attn_v.weight"},
    {"self_attn.q_proj.bias", "attn_q.bias"},
    {"self_attn.k_proj.bias", "attn_k.bias"},
    {"self_attn.v_proj.bias", "attn_v.bias"},
    {"self_attn.q_norm.weight", "attn_q_norm.weight"},
    {"self_attn.k_norm.weight", "attn_k_norm.weight"},
    {"self_attn.qkv_proj.weight", "attn_qkv.weight"},
    {"self_attn.o_proj.weight", "attn_output.weight"},
    {"post_attention_layernorm.weight", "ffn_norm.weight"},
    {"mlp.gate_proj.weight", "ffn_gate.weight"},
    {"mlp.up_proj.weight", "ffn_up.weight"},
    {"mlp.gate_up_proj.weight", "ffn_up.weight"},
    {"mlp.down_proj.weight", "ffn_down.weight"},
};

static const char *const wholes[][2] = {
    {"embed_tokens.weight", "token_embd.weight"},
    {"norm.weight", "output_norm.weight"},
    {"lm_head.weight", "output.weight"},
};

static bool is(struct model_file_text text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

static bool strip(struct model_file_text *text, const char *prefix)
{
    const size_t n = strlen(prefix);
    if (text->length < n || memcmp(text->bytes, prefix, n) != 0)
        return false;
    text->bytes += n;
    text->length -= n;
    return true;
}

static size_t copy(char *out, const char *bytes, size_t length)
{
    memcpy(out, bytes, length);
    return length;
}

size_t hf_names_translate(struct model_file_text name, bool tied, char *out)
{
    struct model_file_text rest = name;
    size_t used, digits = 0;
    (void)strip(&rest, "model."); /* bare in files without a head */
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        if (is(rest, wholes[i][0]))
            return tied && i == 2 ? 0 : copy(out, wholes[i][1], strlen(wholes[i][1]));
    if (!strip(&rest, "layers."))
        return copy(out, name.bytes, name.length);
    while (digits < rest.length && rest.bytes[digits] >= '0' && rest.bytes[digits] <= '9')
        digits++;
    if (digits == 0 || digits == rest.length || rest.bytes[digits] != '.')
        return copy(out, name.bytes, name.length);
    used = copy(out, "blk.", 4);
    used += copy(out + used, rest.bytes, digits + 1);
    rest.bytes += digits + 1;
    rest.length -= digits + 1;
    if (is(rest, "self_attn.rotary_emb.inv_freq")) /* computed, in old files kept */
        return 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (is(rest, parts[i][0]))
            return used + copy(out + used, parts[i][1], strlen(parts[i][1]));
    return used + copy(out + used, rest.bytes, rest.length);
}
