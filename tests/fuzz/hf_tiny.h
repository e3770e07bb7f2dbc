/* hf_tiny.h - a tiny model's folder, for the targets that fuzz one file of it: the others come from here. */
#ifndef PHI3SAT_TESTS_HF_TINY_H
#define PHI3SAT_TESTS_HF_TINY_H

/* Puts config.json into the target's folder, as make_hf.py writes it for make_seeds.sh's folder. */
void hf_tiny_put_config(void);

/* Puts model.safetensors of that model: BF16, numbers that make no activation huge. The same sizes as a model of another kind: with biases,
 * with norms of heads, with fused matrices. */
enum hf_tiny_kind { HF_TINY_LLAMA, HF_TINY_QWEN2, HF_TINY_QWEN3, HF_TINY_PHI3, HF_TINY_KINDS };
void hf_tiny_put_weights(enum hf_tiny_kind kind);

/* Puts its weights as two files instead, those before layer 0's FFN and the others. */
#define HF_TINY_SHARDS {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"}
void hf_tiny_put_shards(void);

#endif
