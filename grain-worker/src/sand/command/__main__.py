"""`python -m sand.command`: what ./sand calls, since a script's first line cannot hold every checkout's path."""

from sand.command.main import main

main()
