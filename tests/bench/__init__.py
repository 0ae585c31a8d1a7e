"""`./sand bench`: what the platform costs, beside what a user would pick instead."""
