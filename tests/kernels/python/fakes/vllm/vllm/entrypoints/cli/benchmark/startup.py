"""Its being here says that `vllm bench startup` exists."""
