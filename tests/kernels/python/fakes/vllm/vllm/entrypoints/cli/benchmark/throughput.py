"""Its being here says that `vllm bench throughput` exists."""
