#!/bin/sh
# A Python that runs here and answers as the one of a guest does.
export _PYTHON_HOST_PLATFORM=wasi-wasm32 _PYTHON_SYSCONFIGDATA_NAME=@DATA@
export PYTHONPATH="@CONFIGURATION@${PYTHONPATH:+:$PYTHONPATH}"
exec '@WORK@/native/python' "$@"
