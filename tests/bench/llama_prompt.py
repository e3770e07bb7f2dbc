"""Times llama-cpp-python: python3 llama_prompt.py MODEL TOKENS THREADS SAMPLES [STEPS].

Prints its version, then tokens/s of each sample, one a line: of a prompt of so many tokens, or of STEPS single tokens
behind it. tests/bench/peers runs it.
"""
import sys
import time

import llama_cpp

model, tokens, threads, samples = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
steps = int(sys.argv[5]) if len(sys.argv) > 5 else 0
llama = llama_cpp.Llama(model_path=model, n_ctx=tokens + steps, n_batch=tokens, n_ubatch=tokens, n_threads=threads,
                        n_threads_batch=threads, verbose=False)
ids = [3 + i * 31 % 1000 for i in range(tokens)]
print(llama_cpp.__version__)
for sample in range(-1, samples):  # the first warms up
    llama.reset()
    start = time.perf_counter()
    llama.eval(ids)
    if steps:
        start = time.perf_counter()
        for i in range(steps):
            llama.eval([3 + i * 7 % 1000])
    if sample >= 0:
        print("%.3f" % ((steps or tokens) / (time.perf_counter() - start)))
