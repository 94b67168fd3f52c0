"""vLLM's own benchmarks as a PI: models that need no download (llama.py), and the program watched while it runs (watched.py)."""
