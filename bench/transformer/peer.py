"""The peer of the PI transformer: the same decoder as one writes it, with nothing of stackx.

with_torch, with_jax: (phase, context, steps, sizes) -> a call: one pass, one round of decoding steps, or one training step.
"""
import numpy

random = numpy.random.default_rng(1)


def matrix(rows, columns):
    return (random.standard_normal((rows, columns)) / rows**0.5).astype(numpy.float32)


def layer(width, heads, kv_heads, inner):
    keys = kv_heads * width // heads
    ones = numpy.ones(width, numpy.float32)
    return {"n1": ones, "q": matrix(width, width), "k": matrix(width, keys), "v": matrix(width, keys), "o": matrix(width, width),
            "n2": ones, "g": matrix(width, inner), "u": matrix(width, inner), "d": matrix(inner, width)}


def model(count, width, heads, kv_heads, inner, vocabulary):
    return {"e": matrix(vocabulary, width), "layers": [layer(width, heads, kv_heads, inner) for _ in range(count)],
            "n": numpy.ones(width, numpy.float32), "h": matrix(width, vocabulary)}


def tables(size, positions):
    angles = numpy.arange(positions)[:, None] * 10000.0**(-numpy.arange(size // 2) / (size // 2))
    return numpy.cos(angles).astype(numpy.float32), numpy.sin(angles).astype(numpy.float32)


def with_torch(phase, context, steps, sizes):
    import torch
    from torch.nn import functional as F
    _, width, heads, kv_heads, _, vocabulary = sizes
    size, m = width // heads, model(*sizes)
    tensor = lambda a: torch.from_numpy(numpy.ascontiguousarray(a)).clone().requires_grad_(phase == "train")
    embedding, head, last = tensor(m["e"]), tensor(m["h"].T), tensor(m["n"])
    layers = [{name: tensor(a.T if a.ndim == 2 else a) for name, a in one.items()} for one in m["layers"]]
    cosine, sine = [torch.from_numpy(a) for a in tables(size, context + steps + 1)]
    caches = [[torch.randn(1, kv_heads, context + steps, size) for _ in range(2)] for _ in layers]

    def norm(x, w):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w

    def split(x):
        return x.view(1, x.shape[1], -1, size).transpose(1, 2)

    def turn(x, at):
        a, b = x.chunk(2, -1)
        return torch.cat([a * cosine[at] - b * sine[at], b * cosine[at] + a * sine[at]], -1)

    def logits(tokens, place=None):
        x, at = F.embedding(tokens, embedding), slice(0, tokens.shape[1]) if place is None else slice(place, place + 1)
        kept = []
        for w, cache in zip(layers, caches):
            h = norm(x, w["n1"])
            q, k, v = turn(split(F.linear(h, w["q"])), at), turn(split(F.linear(h, w["k"])), at), split(F.linear(h, w["v"]))
            if place is None:
                kept.append((k, v))
                wide = [t[:, :, None].expand(1, kv_heads, heads // kv_heads, t.shape[2], size).reshape(1, heads, -1, size)
                        for t in (k, v)]
                a = F.scaled_dot_product_attention(q, *wide, is_causal=True)
            else:
                cache[0][:, :, at], cache[1][:, :, at] = k, v
                a = F.scaled_dot_product_attention(q.reshape(1, kv_heads, -1, size), *[t[:, :, :place + 1] for t in cache])
                a = a.reshape(1, heads, 1, size)
            x = x + F.linear(a.transpose(1, 2).reshape(1, -1, width), w["o"])
            h = norm(x, w["n2"])
            x = x + F.linear(F.silu(F.linear(h, w["g"])) * F.linear(h, w["u"]), w["d"])
        x = x if phase == "train" else x[:, -1:]
        return F.linear(norm(x, last), head), kept

    tokens = torch.from_numpy(random.integers(0, vocabulary, (1, max(context + 1, steps))))
    if phase == "prefill":
        return lambda: logits(tokens[:, :context])
    if phase == "decode":
        one = [tokens[:, i:i + 1].clone() for i in range(steps)]
        return lambda: [logits(one[i], context + i) for i in range(steps)]
    else:
        optimizer = torch.optim.SGD([embedding, head, last] + [w for one in layers for w in one.values()], lr=2.0**-7)

        def step():
            optimizer.zero_grad()
            loss = F.cross_entropy(logits(tokens[:, :context])[0].view(-1, vocabulary), tokens[0, 1:context + 1])
            loss.backward()
            optimizer.step()
            return loss.item()

        return step


def with_jax(phase, context, steps, sizes):
    import jax
    from jax import numpy as jnp
    count, width, heads, kv_heads, _, vocabulary = sizes
    size, m = width // heads, jax.tree_util.tree_map(jnp.array, model(*sizes))
    cosine, sine = [jnp.array(a) for a in tables(size, context + steps)]
    caches = [[jnp.array(random.standard_normal((1, kv_heads, context + steps, size)), jnp.float32) for _ in range(2)]
              for _ in range(count)]

    def norm(x, w):
        return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * w

    def split(x):
        return x.reshape(1, x.shape[1], -1, size).transpose(0, 2, 1, 3)

    def turn(x, c, s):
        a, b = jnp.split(x, 2, -1)
        return jnp.concatenate([a * c - b * s, b * c + a * s], -1)

    def logits(m, tokens, c, s, caches=None, place=None):
        x, kept = m["e"][tokens], []
        for i, w in enumerate(m["layers"]):
            h = norm(x, w["n1"])
            q, k, v = turn(split(h @ w["q"]), c, s), turn(split(h @ w["k"]), c, s), split(h @ w["v"])
            if caches is None:
                mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
            else:
                k, v = [jax.lax.dynamic_update_slice_in_dim(old, new, place, 2) for old, new in zip(caches[i], (k, v))]
                mask = jnp.arange(k.shape[2]) <= place
            kept.append([k, v])
            q = q.reshape(1, kv_heads, -1, size)
            scores = (q @ k.swapaxes(2, 3) * size**-0.5).reshape(1, heads, x.shape[1], -1)
            likely = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), -1)
            a = (likely.reshape(1, kv_heads, -1, k.shape[2]) @ v).reshape(1, heads, -1, size)
            x = x + a.transpose(0, 2, 1, 3).reshape(1, -1, width) @ w["o"]
            h = norm(x, w["n2"])
            x = x + jax.nn.silu(h @ w["g"]) * (h @ w["u"]) @ w["d"]
        x = x if phase == "train" else x[:, -1:]
        return norm(x, m["n"]) @ m["h"], kept

    tokens = jnp.array(random.integers(0, vocabulary, (1, max(context + 1, steps))), jnp.int32)
    if phase == "prefill":
        run, given = jax.jit(logits), (tokens[:, :context], cosine[:context], sine[:context])
        return lambda: jax.block_until_ready(run(m, *given))
    if phase == "decode":
        run = jax.jit(lambda caches, m, token, c, s, place: logits(m, token, c, s, caches, place), donate_argnums=0)
        given = [(tokens[:, i:i + 1], cosine[context + i:context + i + 1], sine[context + i:context + i + 1],
                  jnp.int32(context + i)) for i in range(steps)]
        box = [None, caches]

        def all_steps():
            for one in given:
                box[:] = jax.block_until_ready(run(box[1], m, *one))

        return all_steps
    else:
        def loss(m, tokens, targets, c, s):
            found = jax.nn.log_softmax(logits(m, tokens, c, s)[0])
            return -jnp.mean(jnp.take_along_axis(found, targets[:, :, None], -1))

        def moved(m, *batch):
            value, gradients = jax.value_and_grad(loss)(m, *batch)
            return jax.tree_util.tree_map(lambda w, g: w - 2.0**-7 * g, m, gradients), value

        run, box = jax.jit(moved, donate_argnums=0), [m, None]
        given = tokens[:, :context], tokens[:, 1:context + 1], cosine[:context], sine[:context]

        def step():
            box[:] = jax.block_until_ready(run(box[0], *given))

        return step
