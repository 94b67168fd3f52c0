listeners, durations = [], []
register_event_listener, register_event_duration_secs_listener = listeners.append, durations.append


def tell(event):
    for listener in listeners:
        listener(event)
    for listener in durations:
        listener("/jax/core/compile/backend_compile_duration", 0.02, fun_name="f")
