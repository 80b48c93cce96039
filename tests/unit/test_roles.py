"""Which statements bring the cluster's roles to what they must be."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace

from storage.roles import APP, JANITOR, LOGIN_SETTINGS, OWNER, WORKER, RoleState, derive_password, plan_roles

PASSWORDS = {OWNER: "o", APP: "a", WORKER: "w"}
DEFAULTS = [f"{name}={value}" for name, value in LOGIN_SETTINGS.items()]


def whole() -> dict[str, RoleState]:
    """The roles as they must be."""
    plain = RoleState(name="", login=True, inherit=False, privileged=False, settings=DEFAULTS, janitor=True)
    states = {
        JANITOR: replace(plain, login=False, settings=[], janitor=False),
        OWNER: replace(plain, inherit=True, settings=[], janitor=False),
        APP: plain,
        WORKER: plain,
    }
    return {name: replace(state, name=name) for name, state in states.items()}


def plan(states: dict[str, RoleState], *, refused: tuple[str, ...] = (), version: int = 180000) -> list[str]:
    statements = plan_roles(states, PASSWORDS, refused, server_version=version)
    lines = (statement.as_string(None).splitlines() for statement in statements)
    return [" ".join(line for line in statement if not line.startswith("--")) for statement in lines]


def test_nothing_is_done_where_all_is_there() -> None:
    assert plan(whole()) == []


def test_the_janitor_comes_first_and_everything_is_made_in_an_empty_cluster() -> None:
    statements = plan({})
    created = [statement.split('"')[1] for statement in statements if statement.startswith("create role")]
    assert created == [JANITOR, OWNER, APP, WORKER]
    assert all("nosuperuser" in s and "nobypassrls" in s for s in statements if s.startswith("create role"))
    grants = [statement for statement in statements if statement.startswith("grant")]
    assert grants == [f'grant "{JANITOR}" to "{role}" with inherit false, set true;' for role in (APP, WORKER)]


def test_postgresql_15_gets_the_grant_that_it_knows() -> None:
    grants = [statement for statement in plan({}, version=150004) if statement.startswith("grant")]
    assert grants == [f'grant "{JANITOR}" to "{role}";' for role in (APP, WORKER)]


def test_only_what_differs_is_changed() -> None:
    states = whole()
    states[OWNER] = replace(states[OWNER], privileged=True)
    states[APP] = replace(states[APP], inherit=True, settings=DEFAULTS[1:])
    states[WORKER] = replace(states[WORKER], janitor=False)
    assert plan(states, refused=(WORKER,)) == [
        f'alter role "{OWNER}" nosuperuser nocreatedb nocreaterole noreplication nobypassrls;',
        f'alter role "{APP}" login noinherit;',
        f'alter role "{APP}" set "plan_cache_mode" = \'force_custom_plan\';',
        f"alter role \"{WORKER}\" password 'w';",
        f'grant "{JANITOR}" to "{WORKER}" with inherit false, set true;',
    ]


def test_the_owner_is_left_out_where_the_server_is_not_ours() -> None:
    statements = plan_roles({}, {APP: "a", WORKER: "w"}, (), server_version=160000)
    assert OWNER not in "".join(statement.as_string(None) for statement in statements)


def test_passwords_are_hmac_sha256_of_the_role_under_the_secret() -> None:
    assert derive_password("s", APP) == hmac.new(b"s", b"pm_app", hashlib.sha256).hexdigest()
    assert derive_password("s", APP) != derive_password("s", WORKER)
    assert derive_password("t", APP) != derive_password("s", APP)
