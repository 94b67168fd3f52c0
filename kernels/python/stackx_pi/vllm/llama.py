"""Language models that need no download: a Llama's config.json and a tokenizer of numbered words. Weights are vLLM's dummies.

Shapes of 1b and 8b are those of Llama 3.2 1B and 3.1 8B (their config.json on Hugging Face). tiny is for tests: vLLM's latency
benchmark draws tokens below 10000, so that its vocabulary cannot be smaller.
"""

from __future__ import absolute_import

import collections
import json
import os

Shape = collections.namedtuple("Shape", "hidden intermediate layers heads kv_heads head vocabulary tied")
SHAPES = {"llama-tiny": Shape(128, 256, 2, 4, 2, 32, 10240, False), "llama-1b": Shape(2048, 8192, 16, 32, 8, 64, 128256, True),
          "llama-8b": Shape(4096, 14336, 32, 32, 8, 128, 128256, False)}


def config(shape, positions):
    return {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": shape.hidden,
            "intermediate_size": shape.intermediate, "num_hidden_layers": shape.layers, "num_attention_heads": shape.heads,
            "num_key_value_heads": shape.kv_heads, "head_dim": shape.head, "vocab_size": shape.vocabulary,
            "max_position_embeddings": positions, "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "hidden_act": "silu",
            "tie_word_embeddings": shape.tied, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}


def tokenizer(shape):
    words = dict(("t%d" % number, number) for number in range(shape.vocabulary))
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
            "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
            "model": {"type": "WordLevel", "vocab": words, "unk_token": "t0"}}


def write(name, directory, positions):
    """The files of a model that holds `positions` tokens; the path."""
    shape, path = SHAPES[name], os.path.join(directory, name)
    os.makedirs(path)
    for file, content in [("config.json", config(shape, positions)), ("tokenizer.json", tokenizer(shape)),
                          ("tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "t0",
                                                     "bos_token": "t1", "eos_token": "t2", "model_max_length": positions})]:
        with open(os.path.join(path, file), "w") as out:
            json.dump(content, out)
    return path
