"""`./sand cluster`: a platform of several hosts on this machine, as containers. Run by ./sand with the checkout's Python."""
