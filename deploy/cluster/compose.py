"""The one description of a cluster on one machine: which containers, with what options, limits and checks.

`deploy/compose/*.yaml` are its output for one and three hosts (a test holds them to it); `./sand cluster up --hosts N` uses it
for any number. What differs from machine to machine comes from the environment, as compose files take it.

Usage: python -m cluster.compose HOSTS
"""

import sys

import yaml

FRONTENDS = ("frontend1", "frontend2")
FRONTEND_PORT = 7263
AGENT_PORT = 7264
HEALTH_PORT = 7265
DATA_PORT = 7266
# On the machine, one a host: the first host's is one more.
DATA_PORTS_AFTER = 7270
MOST_HOSTS = 16
KAFKA = "kafka:9092"
CASSANDRA = "cassandra:9042"
KEY = "/run/sand/cluster.key"
OPERATOR_KEY = "/run/sand/operator.key"
SECRETS_KEY = "/run/sand/secrets.key"
# Any 16 bytes in base64 without padding; the folder of data carries it from then on.
CLUSTER_ID = "U2FuZENsdXN0ZXJPZkhvcw"

# One broker. Sessions as short as three seconds must be allowed for, twice: for both of Kafka's group protocols. Nothing is
# deleted by time, and no topic appears because somebody misspelt it.
KAFKA_ENVIRONMENT = {
    "CLUSTER_ID": CLUSTER_ID,
    "KAFKA_NODE_ID": "1",
    "KAFKA_PROCESS_ROLES": "broker,controller",
    "KAFKA_CONTROLLER_QUORUM_VOTERS": "1@localhost:9093",
    "KAFKA_CONTROLLER_LISTENER_NAMES": "CONTROLLER",
    "KAFKA_LISTENERS": "PLAINTEXT://0.0.0.0:9092,CONTROLLER://127.0.0.1:9093",
    "KAFKA_ADVERTISED_LISTENERS": f"PLAINTEXT://{KAFKA}",
    "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
    "KAFKA_LOG_DIRS": "/var/lib/kafka/data",
    "KAFKA_AUTO_CREATE_TOPICS_ENABLE": "false",
    "KAFKA_LOG_RETENTION_MS": "-1",
    "KAFKA_OFFSETS_RETENTION_MINUTES": "525600",
    "KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS": "8",
    "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR": "1",
    "KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS": "8",
    "KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": "1",
    "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR": "1",
    "KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS": "0",
    "KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS": "1000",
    "KAFKA_GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS": "1000",
    "KAFKA_GROUP_CONSUMER_SESSION_TIMEOUT_MS": "3000",
    "KAFKA_GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS": "250",
    "KAFKA_GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS": "500",
    "KAFKA_HEAP_OPTS": "-Xms256m -Xmx512m",
}


def compose(hosts: int) -> dict:
    """The whole file for that many host agents, as compose (1.27 and later, 2 too) reads it."""
    if not 1 <= hosts <= MOST_HOSTS:
        raise ValueError(f"a cluster on one machine has 1 to {MOST_HOSTS} hosts, not {hosts}")
    services = {"kafka": kafka(), "cassandra": cassandra()}
    services |= {name: host(name) for name in host_names(hosts)}
    services |= {name: frontend(name) for name in FRONTENDS}
    services["nginx"] = nginx()
    return {
        "services": {name: everywhere(name) | service for name, service in services.items()},
        "networks": {"default": {"labels": {"dev.sand.cluster": "${SAND_CLUSTER:-sand}"}}},
        "volumes": {"kafka": {}, "cassandra": {}},
    }


def host_names(hosts: int) -> list[str]:
    return [f"host{number}" for number in range(1, hosts + 1)]


def everywhere(name: str) -> dict:
    """What holds for each part: it comes back after a crash, its log is bounded, and it can be found by label."""
    return {
        "hostname": name,
        "restart": "unless-stopped",
        "labels": {"dev.sand.cluster": "${SAND_CLUSTER:-sand}", "dev.sand.part": name},
        "logging": {"driver": "json-file", "options": {"max-size": "10m", "max-file": "3"}},
        "security_opt": ["no-new-privileges:true"],
    }


def check(command: str, *, starting: str) -> dict:
    """Seldom, and in shell: a check is a new process in the container, and a Java would be the larger part of the load."""
    return {"test": ["CMD-SHELL", command], "interval": "10s", "timeout": "5s", "retries": 3, "start_period": starting}


def kafka() -> dict:
    return {
        "image": "${SAND_KAFKA_IMAGE:-sand-kafka:latest}",
        "environment": KAFKA_ENVIRONMENT,
        "volumes": ["kafka:/var/lib/kafka/data"],
        "healthcheck": check("/opt/kafka/health.sh 127.0.0.1", starting="60s"),
        "mem_limit": "1g",
        "pids_limit": 512,
        "stop_grace_period": "30s",
    }


def cassandra() -> dict:
    return {
        "image": "${SAND_CASSANDRA_IMAGE:-sand-cassandra:latest}",
        "environment": {"CASSANDRA_CLUSTER_NAME": "sand", "MAX_HEAP_SIZE": "${SAND_CASSANDRA_HEAP:-768M}"},
        "volumes": ["cassandra:/var/lib/cassandra"],
        "healthcheck": check("/opt/cassandra/health.sh", starting="120s"),
        "mem_limit": "2g",
        "pids_limit": 1024,
        "stop_grace_period": "60s",
    }


def platform(name: str, role: str, *options: str) -> dict:
    return {
        "image": "${SAND_PLATFORM_IMAGE:-sand-platform:latest}",
        "command": [
            *("--role", role, "--host-id", name, "--bus", f"kafka:{KAFKA}"),
            *("--store", f"cassandra:{CASSANDRA}", "--cluster-key", KEY, "--secrets-key", SECRETS_KEY),
            # On a machine that is far too busy, a host that is only slow is not to be taken for dead.
            *("--session", "${SAND_SESSION:-3s}"),
            # Hosts and frontends have to agree: one word for all of them.
            *("--management", "${SAND_MANAGEMENT:-on}"),
            *options,
        ],
        # An order and not a condition: the program waits for both by itself, and says so.
        "depends_on": ["kafka", "cassandra"],
        "pids_limit": 4096,
        # Longer than --drain: what runs may end.
        "stop_grace_period": "40s",
    }


def host(name: str) -> dict:
    """A host agent. It starts its sandboxes beside itself through the engine's socket; its home has the same path inside and
    outside, since they mount their folders from there. Whoever has the engine's socket is root on the machine: of all
    containers only these have it."""
    home = "${SAND_CLUSTER_HOME:-/var/lib/sand/cluster}/" + name
    # What clients are told is where it is published: outside the containers' network nobody knows their names.
    usual = f"127.0.0.1:{DATA_PORTS_AFTER + int(name.removeprefix('host'))}"
    data, told = (f"${{{variable}:-{usual}}}" for variable in data_variables(name))
    service = platform(
        name,
        "host",
        *("--home", home, "--advertise", f"{name}:{AGENT_PORT}", "--agent-listen", f"0.0.0.0:{AGENT_PORT}"),
        *("--health-listen", f"127.0.0.1:{HEALTH_PORT}"),
        *("--data-listen", f"0.0.0.0:{DATA_PORT}", "--data-advertise", told),
        *("--sandbox", "docker", "--image", "${SAND_SANDBOX_IMAGE:-sand-sandbox:latest}"),
    )
    return service | {
        "volumes": [
            f"{home}:{home}",
            "${SAND_CLUSTER_KEY:-/var/lib/sand/cluster/cluster.key}:" + f"{KEY}:ro",
            "${SAND_SECRETS_KEY:-/var/lib/sand/cluster/secrets.key}:" + f"{SECRETS_KEY}:ro",
            "${SAND_ENGINE_SOCKET:-/var/run/docker.sock}:/var/run/docker.sock",
        ],
        "ports": [f"{data}:{DATA_PORT}"],
        "healthcheck": check(f"/opt/sand/health.sh 127.0.0.1 {HEALTH_PORT} /readyz", starting="60s"),
        "mem_limit": "2g",
    }


def data_variables(host: str) -> tuple[str, str]:
    """Of the environment: where a host's data plane is published on the machine, HOST:PORT, and what clients are told."""
    return f"SAND_DATA_{host.upper()}", f"SAND_DATA_{host.upper()}_TOLD"


def frontend(name: str) -> dict:
    listen = ["--listen", f"0.0.0.0:{FRONTEND_PORT}", "--operator-key", OPERATOR_KEY]
    service = platform(name, "frontend", "--home", "/tmp/sand", *listen)
    return service | {
        "volumes": [
            "${SAND_CLUSTER_KEY:-/var/lib/sand/cluster/cluster.key}:" + f"{KEY}:ro",
            "${SAND_OPERATOR_KEY:-/var/lib/sand/cluster/operator.key}:" + f"{OPERATOR_KEY}:ro",
            "${SAND_SECRETS_KEY:-/var/lib/sand/cluster/secrets.key}:" + f"{SECRETS_KEY}:ro",
        ],
        "healthcheck": check(f"/opt/sand/health.sh 127.0.0.1 {FRONTEND_PORT} /readyz", starting="60s"),
        "mem_limit": "1g",
        "cap_drop": ["ALL"],
    }


def nginx() -> dict:
    return {
        "image": "${SAND_NGINX_IMAGE:-sand-nginx:latest}",
        "environment": {"SAND_FRONTENDS": " ".join(f"{name}:{FRONTEND_PORT}" for name in FRONTENDS)},
        # Keys travel in the clear where there is no TLS: only this machine reaches it unless the operator says otherwise.
        "ports": ["${SAND_LISTEN:-127.0.0.1:7263}:8080"],
        "depends_on": list(FRONTENDS),
        "healthcheck": check("/opt/nginx/health.sh", starting="10s"),
        "mem_limit": "256m",
        "pids_limit": 128,
        "stop_grace_period": "10s",
    }


HEADER = """\
# {hosts}, two frontends, nginx, Kafka and Cassandra on one machine. Written by deploy/cluster/compose.py: change it there.
#   eval "$(deploy/images/cluster.sh | sed 's/^/export /')"     # the images
#   docker-compose -f {file} up -d                              # or: docker compose
# Needs files with the cluster's shared secret (SAND_CLUSTER_KEY), with the key that callers show (SAND_OPERATOR_KEY) and with
# the key that applications' secrets are kept with (SAND_SECRETS_KEY);
# ./sand cluster up does all of it.
"""


def text(hosts: int, file: str) -> str:
    header = HEADER.format(hosts="One host agent" if hosts == 1 else f"{hosts} host agents", file=file)
    return header + yaml.safe_dump(compose(hosts), sort_keys=False, width=140)


FILES = {1: "deploy/compose/one-host.yaml", 3: "deploy/compose/three-hosts.yaml"}

if __name__ == "__main__":
    sys.stdout.write(text(int(sys.argv[1]), FILES.get(int(sys.argv[1]), "FILE")))
