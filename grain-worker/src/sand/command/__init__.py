"""The `sand` command: talks to a platform over HTTP, and starts one. Imported by nothing that runs in a sandbox."""
