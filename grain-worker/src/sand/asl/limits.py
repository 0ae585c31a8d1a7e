"""The bounds of definitions and executions, by name; docs/WORKFLOWS.md lists them, and both engines have the same."""

DEFINITION_BYTES = 1 << 20
JSON_DEPTH = 200
"""Levels of a document that is parsed or made."""
NUMBER_CHARS = 1_000
ERROR_CHARS = 256
CAUSE_CHARS = 32 << 10
"""Of what a state fails with, and an execution ends with (as on AWS), where more is cut off; and of what a callback
or whoever stops it says."""
STATE_NAME_CHARS = 80
DIAGNOSTICS = 100
AWS_DATA_BYTES = 262_144
"""Of the data of a task, a state or an execution, where an execution is held to what AWS allows, see `quotas`."""
AWS_HISTORY_EVENTS = 25_000
"""Of an execution's history, likewise."""
DOCUMENT_BYTES = 16 << 20
"""Bytes of a document that a path looks into, or that is made."""
PATH_PLACES = 10_000_000
"""Of a document, that one reading of a path looks at."""
ASSIGN_BYTES = 256 * 1024
VARIABLES_BYTES = 10 << 20
VARIABLE_NAME_CHARS = 80
QUERY_STEPS = 1_000_000
QUERY_DEPTH = 100
QUERY_VALUE_BYTES = 6_990_256
QUERY_RANGE = 360_145
REGEX_SECONDS = 1.0
"""Of CPU time, for all regular expressions in one evaluation: sane ones take microseconds, one that tries for ever must end."""
OBJECT_KEY_BYTES = 1_024
"""With its bucket, as the data layer takes it."""
RESULT_NAME_BYTES = 32
"""Of these, what is left for the name of a file of results, below the folder of a run."""
MANIFEST_BYTES = 8 << 20
UNPACKED_BYTES = 16 << 20
QUERY_CHARS = 64 * 1024
QUERY_TREE_DEPTH = 250
MAP_ITEMS = 100_000
MAP_CONCURRENCY = 1_000
TRANSITIONS_AT_ONCE = 8
"""States entered in one go, before the driver gets its turn."""
TRANSITIONS = 250_000
SECONDS = 99_999_999
COUNT = (1 << 63) - 1
"""Of what has no bound of its own but that of a number."""
WAIT_SECONDS = 2_147_483_647
MAX_DELAY_SECONDS = 31_622_400
ARRAY_RANGE = 1_000
ENCODE_CHARS = 10_000
INTRINSIC_DEPTH = 10
BATCH_BYTES = 256 * 1024
MAP_LABEL_CHARS = 40
MAX_ITEMS = 100_000_000
ITEM_BYTES = 8 << 20
CSV_HEADER_BYTES = 10 * 1024
RESULT_WRITE_BYTES = 256 * 1024
RESULT_FILE_BYTES = 64 << 20
FAILED_ITERATIONS = 10_000
"""Of a distributed Map, that are kept for a redrive; beyond, that does all of the Map again."""
CHUNK_ITEMS = 1_000
"""Of those that an ItemReader reads, that are known at once; and of those that were not begun, that are written as such when a
Map fails."""
CHUNK_BYTES = 48 * 1024
"""About so many, of these items."""
LISTED_KEYS = 256
"""Objects that are listed at once."""
