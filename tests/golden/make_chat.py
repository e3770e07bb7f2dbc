#!/usr/bin/env python3
"""Writes chat.jsonl: conversations of a seeded generator in the chat formats of models, as Jinja makes them.

Needs the PyPI package jinja2, set up as Hugging Face's apply_chat_template sets it up. The
templates are the functional strings that model files carry under tokenizer.chat_template; parts on
tools are left out, but for one branch that a recogniser has to see through.

  make_chat.py > chat.jsonl
"""
import json
import random
import sys

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

LLAMA2 = (
    "{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}{% set system_message = "
    "messages[0]['content'] %}{% else %}{% set loop_messages = messages %}{% set system_message = false %}{% endif %}"
    "{% for message in loop_messages %}{% if loop.index0 == 0 and system_message != false %}{% set content = "
    "'<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}{% else %}{% set content = "
    "message['content'] %}{% endif %}{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + "
    "' [/INST]' }}{% elif message['role'] == 'assistant' %}{{ ' '  + content.strip() + ' ' + eos_token }}{% endif %}"
    "{% endfor %}")
LLAMA3 = (
    "{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start_header_id|>' + "
    "message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}"
    "{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}{% if add_generation_prompt %}"
    "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}")
LLAMA31 = (
    "{{- bos_token }}\n{%- if not date_string is defined %}\n    {%- set date_string = \"26 Jul 2024\" %}\n{%- endif %}\n"
    "{%- if messages[0]['role'] == 'system' %}\n    {%- set system_message = messages[0]['content']|trim %}\n"
    "    {%- set messages = messages[1:] %}\n{%- else %}\n    {%- set system_message = \"\" %}\n{%- endif %}\n"
    "{{- \"<|start_header_id|>system<|end_header_id|>\\n\\n\" }}\n"
    "{{- \"Cutting Knowledge Date: December 2023\\n\" }}\n{{- \"Today Date: \" + date_string + \"\\n\\n\" }}\n"
    "{{- system_message }}\n{{- \"<|eot_id|>\" }}\n{%- for message in messages %}\n"
    "    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + "
    "'<|eot_id|>' }}\n{%- endfor %}\n{%- if add_generation_prompt %}\n"
    "    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}\n{%- endif %}\n")
QWEN25 = (
    "{%- if tools %}\n    {{- '<|im_start|>system\\n' }}\n    {%- if messages[0]['role'] == 'system' %}\n"
    "        {{- messages[0]['content'] }}\n    {%- endif %}\n    {{- '<|im_end|>\\n' }}\n{%- else %}\n"
    "    {%- if messages[0]['role'] == 'system' %}\n"
    "        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}\n    {%- else %}\n"
    "        {{- '<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant."
    "<|im_end|>\\n' }}\n    {%- endif %}\n{%- endif %}\n{%- for message in messages %}\n"
    "    {%- if (message.role == \"user\") or (message.role == \"system\" and not loop.first) or "
    "(message.role == \"assistant\") %}\n"
    "        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}\n    {%- endif %}\n"
    "{%- endfor %}\n{%- if add_generation_prompt %}\n    {{- '<|im_start|>assistant\\n' }}\n{%- endif %}\n")
PHI3_ROLES = (
    "{% elif message['role'] == 'user' %}{{'<|user|>\n' + message['content'] + '<|end|>\n'}}"
    "{% elif message['role'] == 'assistant' %}{{'<|assistant|>\n' + message['content'] + '<|end|>\n'}}{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% else %}{{ eos_token }}{% endif %}")

# name as phi3sat says it, template, BOS, EOS, whether the template has a place for the system
FORMS = [
    ("Phi-3 (without a system message)",
     "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') %}{{'<|user|>' + '\n' + "
     "message['content'] + '<|end|>' + '\n' + '<|assistant|>' + '\n'}}{% elif (message['role'] == 'assistant') %}"
     "{{message['content'] + '<|end|>' + '\n'}}{% endif %}{% endfor %}", "<s>", "<|endoftext|>", False),
    ("Phi-3",
     "{{ bos_token }}{% for message in messages %}{{'<|' + message['role'] + '|>' + '\n' + message['content'] + "
     "'<|end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% else %}{{ eos_token }}"
     "{% endif %}", "<s>", "<|endoftext|>", True),
    ("Phi-3",
     "{% for message in messages %}{% if message['role'] == 'system' %}{{'<|system|>\n' + message['content'] + "
     "'<|end|>\n'}}" + PHI3_ROLES, "<s>", "<|endoftext|>", True),
    ("Phi-3.5",
     "{% for message in messages %}{% if message['role'] == 'system' and message['content'] %}{{'<|system|>\n' + "
     "message['content'] + '<|end|>\n'}}" + PHI3_ROLES, "<s>", "<|endoftext|>", True),
    ("Phi-4-mini",
     "{% for message in messages %}{% if message['role'] == 'system' and 'tools' in message and message['tools'] is "
     "not none %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|tool|>' + message['tools'] + '<|/tool|>' "
     "+ '<|end|>' }}{% else %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endif %}"
     "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% else %}{{ eos_token }}{% endif %}",
     "<|endoftext|>", "<|endoftext|>", True),
    ("Phi-4",
     "{% for message in messages %}{% if (message['role'] == 'system') %}{{'<|im_start|>system<|im_sep|>' + "
     "message['content'] + '<|im_end|>'}}{% elif (message['role'] == 'user') %}{{'<|im_start|>user<|im_sep|>' + "
     "message['content'] + '<|im_end|>'}}{% elif (message['role'] == 'assistant') %}"
     "{{'<|im_start|>assistant<|im_sep|>' + message['content'] + '<|im_end|>'}}{% endif %}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|im_start|>assistant<|im_sep|>' }}{% endif %}", "<|endoftext|>", "<|im_end|>",
     True),
    ("ChatML",
     "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + "
     "'\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}", "<s>", "<|im_end|>",
     True),
    ("ChatML with a default system message",
     "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nYou "
     "are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + "
     "message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}"
     "{{ '<|im_start|>assistant\n' }}{% endif %}", "<|im_start|>", "<|im_end|>", True),
    ("ChatML with a default system message", QWEN25, "", "<|im_end|>", True),
    ("Llama 2", LLAMA2, "<s>", "</s>", True),
    ("Llama 3", LLAMA3, "<|begin_of_text|>", "<|eot_id|>", True),
    ("Llama 3.1", LLAMA31, "<|begin_of_text|>", "<|eot_id|>", True),
]
TEXTS = ["Hi", "What is 2 + 2?", "  white space \n", "Zwölf Boxkämpfer\njagen", "\U0001F600 \u4e16\u754c", "a\n\nb",
         "He said \"no\" \\ 'yes'", "tab\there", "x"]


def conversation(rng, system):
    """Roles in turn, as all templates take them."""
    messages = []
    if system:
        messages.append({"role": "system", "content": rng.choice(TEXTS + [""])})
    for turn in range(rng.randint(1, 5)):
        messages.append({"role": ("user", "assistant")[turn % 2], "content": rng.choice(TEXTS)})
    return messages


def environment():
    """Jinja as Hugging Face's apply_chat_template sets it up."""
    jinja = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True,
                                          extensions=["jinja2.ext.loopcontrols"])

    def refuse(message):
        raise jinja2.TemplateError(message)
    jinja.globals["raise_exception"] = refuse
    return jinja


def main():
    rng = random.Random(20261202)
    jinja = environment()
    for name, source, bos, eos, system in FORMS:
        template = jinja.from_string(source)
        for case in range(24):
            messages = conversation(rng, system and case % 2 == 1)
            answered = messages[-1]["role"] == "assistant"
            text = template.render(messages=messages, bos_token=bos, eos_token=eos, tools=None,
                                   add_generation_prompt=not answered)
            json.dump({"form": name, "template": source, "bos": bos, "eos": eos, "messages": messages, "wanted": text},
                      sys.stdout, ensure_ascii=bool(case % 3))
            print()
    print(f"jinja2 {jinja2.__version__}", file=sys.stderr)


if __name__ == "__main__":
    main()
