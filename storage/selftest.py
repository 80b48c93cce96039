"""The self-test at boot: refuse to serve while there is any hole in the wall."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

from context.errors import ConfigurationError, SchemaMismatch
from storage.database import Database
from storage.migrate import migrations
from storage.queries import queries

_SQL = queries("selftest")
_SERVER_FLOOR = 150_000
_VECTOR_FLOOR = (0, 8, 4)  # 0.8.2 to 0.8.4 fix corruption of HNSW indexes under vacuum


@dataclass(frozen=True, slots=True)
class Finding:
    """A hole: what it is and who must do what."""

    what: str
    remedy: str


async def findings(database: Database) -> list[Finding]:
    """Every hole in the wall as the application's own role sees it; empty when all is well."""
    async with database.pool.connection() as connection:
        role = await (await connection.execute(_SQL["role"])).fetchone()
        tables = await (await connection.execute(_SQL["tables"])).fetchall()
        keys = await (await connection.execute(_SQL["loose_keys"])).fetchall()
        policies = await (await connection.execute(_SQL["open_policies"])).fetchall()
        views = await (await connection.execute(_SQL["open_views"])).fetchall()
        try:
            seen = await (await connection.execute(_SQL["rows_for_nobody"])).fetchone()
        except psycopg.errors.InsufficientPrivilege:
            seen = None
    assert role is not None  # noqa: S101  # every session has a role
    found: list[Finding] = []
    for flag, words in (
        ("rolsuper", "is a superuser"),
        ("rolbypassrls", "bypasses row-level security"),
        ("rolcreaterole", "may create roles"),
    ):
        if role[flag]:
            found.append(Finding(f"The role {role['login']} {words}.", "Use a plain role in DATABASE_URL."))
    if not role["is_app"]:
        found.append(Finding(f"The role {role['login']} is no member of pm_app.", "GRANT pm_app TO it."))
    if role["plan_cache_mode"] != "force_custom_plan":
        found.append(Finding("plan_cache_mode is not force_custom_plan.", "Do not override the pool's options."))
    if role["server"] < _SERVER_FLOOR:
        found.append(Finding(f"PostgreSQL is {role['server'] // 10000}.", "Use PostgreSQL 15 or newer."))
    if tuple(int(part) for part in (role["vector"] or "0").split(".")) < _VECTOR_FLOOR:
        found.append(Finding(f"pgvector is {role['vector'] or 'missing'}.", "Install pgvector 0.8.4 or newer."))
    if not tables:
        found.append(Finding("The schema is missing.", "Run the migrations."))
    for table in tables:
        name = f"{table['schema']}.{table['name']}"
        if not (table["enabled"] and table["forced"] and table["policies"]):
            found.append(Finding(f"{name} is not behind the wall.", "Call pm.raise_wall() in the migration."))
        if table["owned"]:
            found.append(Finding(f"The role {role['login']} owns {name}.", "Let another role own the schema."))
    found += [Finding(f"{key['key']} does not begin with the tenant.", "Change the key.") for key in keys]
    for policy in policies:
        what = f"The policy {policy['name']} on {policy['table_name']} does not ask for the tenant."
        found.append(Finding(what, "Drop the policy."))
    found += [Finding(f"{view['name']} runs with its owner's rights.", "Make it security invoker.") for view in views]
    if seen is None:
        found.append(Finding("The application's role may not read its tables.", "GRANT pm_app TO it."))
    elif seen["count"]:
        found.append(Finding("Rows are visible with no identity set.", "Check the policies."))
    return found


async def refuse_holes(database: Database) -> None:
    """Check schema and wall before anything is served.

    Raises:
        SchemaMismatch: the database has other migrations than this code.
        ConfigurationError: there is a hole; the message lists all of them with their remedies.
    """
    async with database.pool.connection() as connection:
        try:
            row = await (await connection.execute(_SQL["migration"])).fetchone()
        except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
            row = None  # nobody has ever migrated this database
    wanted = migrations()[-1].number
    if row is None or row["number"] != wanted:
        raise SchemaMismatch(
            f"The database has migration {row['number'] if row else 0}, this code needs {wanted}.",
            hint="Set POCKETMIND_ADMIN_URL to the role that owns the schema and start again.",
        )
    if found := await findings(database):
        lines = "\n".join(f"- {finding.what} {finding.remedy}" for finding in found)
        raise ConfigurationError(f"The database is not safe to serve from:\n{lines}")
