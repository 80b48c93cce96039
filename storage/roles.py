"""The cluster's roles: who owns the schema, who serves, who works, and who may only clear checkpoints.

    pm_owner     owns the database and its schema; migrates. Made for the embedded server only.
    pm_app       serves people, below row-level security.
    pm_worker    runs jobs, below row-level security.
    pm_janitor   nobody logs in as it; pm_app and pm_worker may `SET LOCAL ROLE pm_janitor` to delete checkpoints.

Roles belong to a cluster, not to a database, so they are not made by migrations: two databases that migrate at once
would collide (`tuple concurrently updated`). Here only what differs is changed, and a lost race is looked at again.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import class_row

from context.errors import ConfigurationError, StorageUnavailable
from storage.queries import queries

OWNER = "pm_owner"
APP = "pm_app"
WORKER = "pm_worker"
JANITOR = "pm_janitor"

# A plan cached for a large owner starves a small one, and a forgotten transaction holds back vacuum. The pool sends
# the same settings again, because SET ROLE does not apply the defaults of the role that it changes to.
LOGIN_SETTINGS: Mapping[str, str] = {
    "plan_cache_mode": "force_custom_plan",
    "statement_timeout": "30s",
    "idle_in_transaction_session_timeout": "30s",
}

_SQL = queries("roles")
_ATTEMPTS = 20  # with the pauses below about a second: a race is over long before


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleState:
    """What the cluster says of one role.

    Attributes:
        privileged: it has any of SUPERUSER, CREATEROLE, CREATEDB, REPLICATION, BYPASSRLS.
        settings: its defaults, each `parameter=value`.
        janitor: it may SET ROLE to pm_janitor and inherits nothing from it.
    """

    name: str
    login: bool
    inherit: bool
    privileged: bool
    settings: Sequence[str]
    janitor: bool


def preparation_digest() -> str:
    """Changes when the statements of `sql/roles.sql` do: a cluster that was prepared by others is prepared again."""
    return hashlib.sha256("\n".join(_SQL.values()).encode()).hexdigest()


def derive_password(secret: str, role: str) -> str:
    """The password of a role: HMAC-SHA256 of its name under the home's secret, 64 hexadecimal digits."""
    return hmac.new(secret.encode(), role.encode(), hashlib.sha256).hexdigest()


def query(name: str, **parts: sql.Composable) -> sql.Composed:
    """The statement called `name` in `sql/roles.sql`, its braces filled in."""
    return sql.SQL(_SQL[name]).format(**parts)


def plan_roles(
    states: Mapping[str, RoleState], passwords: Mapping[str, str], refused: Collection[str], *, server_version: int
) -> list[sql.Composed]:
    """The statements that bring the roles from `states` to what this module describes; none if they are there.

    Args:
        states: the roles that exist, by name.
        passwords: what stands after PASSWORD, by the role that logs in; pm_janitor is always planned for.
        refused: roles that exist and whose password does not let them in.
        server_version: as libpq counts it, such as 150004 or 180000.
    """
    grant = "grant_janitor" if server_version >= 160000 else "grant_janitor_15"
    statements: list[sql.Composed] = []
    for name in (JANITOR, *passwords):
        role, state = sql.Identifier(name), states.get(name)
        login, inherit = name != JANITOR, name == OWNER
        if state is None:
            kind = {JANITOR: "create_janitor", OWNER: "create_owner"}.get(name, "create_login")
            statements.append(query(kind, role=role, password=sql.Literal(passwords.get(name))))
        else:
            if (state.login, state.inherit) != (login, inherit):
                words = (sql.SQL("login" if login else "nologin"), sql.SQL("inherit" if inherit else "noinherit"))
                statements.append(query("set_login", role=role, login=words[0], inherit=words[1]))
            if state.privileged:
                statements.append(query("strip_privileges", role=role))
            if name in refused:
                statements.append(query("set_password", role=role, password=sql.Literal(passwords[name])))
        if name in (JANITOR, OWNER):
            continue
        for parameter, value in LOGIN_SETTINGS.items():
            if state is None or f"{parameter}={value}" not in state.settings:
                filled = {"parameter": sql.Identifier(parameter), "value": sql.Literal(value)}
                statements.append(query("set_default", role=role, **filled))
        if state is None or not state.janitor:
            statements.append(query(grant, role=role, janitor=sql.Identifier(JANITOR)))
    return statements


def ensure_roles(connection_url: str, passwords: Mapping[str, str]) -> None:
    """Create or mend the cluster's roles; safe to repeat, and from many processes and databases at once.

    Args:
        connection_url: an administrator's: a superuser, or a role with CREATEROLE, on PostgreSQL 15 or newer.
        passwords: by role: those of pm_app and pm_worker, and of pm_owner where the server is ours. Sent as SCRAM
            verifiers, so that no server log shows them.

    Raises:
        ConfigurationError: the administrator may not do it; the hint is the SQL that must be run by one who may.
        StorageUnavailable: the server cannot be reached, or others kept changing the roles.
    """
    settled: set[str] = set()
    try:
        with psycopg.connect(connection_url, autocommit=True, connect_timeout=10) as connection:
            version = connection.info.server_version
            if version < 150000:
                raise ConfigurationError(f"PostgreSQL {version // 10000} is too old: 15 or newer is needed.")
            for attempt in range(_ATTEMPTS):
                try:
                    if not _step(connection, connection_url, passwords, settled):
                        return
                except (errors.DuplicateObject, errors.UniqueViolation, errors.InternalError_):
                    time.sleep(secrets.randbelow(10 + 5 * attempt) / 1000)  # another caller was faster: look again
    except psycopg.OperationalError as error:
        raise StorageUnavailable(f"The roles cannot be prepared: {error}") from error
    raise StorageUnavailable("The roles cannot be prepared: others keep changing them.", hint="Try again.")


def _step(
    connection: psycopg.Connection[Any], connection_url: str, passwords: Mapping[str, str], settled: set[str]
) -> bool:
    """Run what is missing now; False if nothing was. `settled`: roles whose password needs no further look."""
    names = [JANITOR, *passwords]
    with connection.cursor(row_factory=class_row(RoleState)) as cursor:
        cursor.execute(query("role_states", janitor_name=sql.Literal(JANITOR), names=sql.Literal(names)))
        states = {state.name: state for state in cursor}
    unsettled = states.keys() & passwords.keys() - settled
    refused = [role for role in unsettled if not _can_log_in(connection_url, role, passwords[role])]
    version = connection.info.server_version
    verifiers = {role: _verifier(connection, role, password) for role, password in passwords.items()}
    statements = plan_roles(states, verifiers, refused, server_version=version)
    for done, statement in enumerate(statements):
        try:
            connection.execute(statement)
        except errors.InsufficientPrivilege as error:
            named = {role: f"<password of {role}>" for role in passwords}
            rest = plan_roles(states, named, refused, server_version=version)[done:]
            raise ConfigurationError(
                f"{connection.info.user} may not prepare the database roles: {error.diag.message_primary}.",
                hint="Run as a superuser:\n" + "\n".join(_without_comments(s.as_string(connection)) for s in rest),
            ) from error
    settled.update(passwords)  # set once, however the server lets people in
    return bool(statements)


def _verifier(connection: psycopg.Connection[Any], role: str, password: str) -> str:
    return connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()


def _can_log_in(connection_url: str, role: str, password: str) -> bool:
    """Whether the password is the role's already; only a superuser could read that from a catalogue."""
    try:
        psycopg.connect(make_conninfo(connection_url, user=role, password=password), connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def _without_comments(statement: str) -> str:
    return "\n".join(line for line in statement.splitlines() if not line.startswith("--"))
