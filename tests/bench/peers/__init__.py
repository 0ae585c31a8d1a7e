"""What a user would pick instead, from package registries, started and ended by the bench itself."""
