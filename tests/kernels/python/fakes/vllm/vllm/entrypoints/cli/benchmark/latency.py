"""Its being here says that `vllm bench latency` exists."""
