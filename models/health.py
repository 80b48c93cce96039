"""A cheap question to an endpoint that costs no tokens: is it there, is the key good, which models does it list."""

from __future__ import annotations

import asyncio

from pydantic import SecretStr

from context.errors import ModelError
from models.endpoint import open_clients, translate_model_error


async def listed_models(*, base_url: str | None, api_key: SecretStr | None, deadline: float) -> tuple[str, ...]:
    """Names of the models that the endpoint lists, sorted. Some endpoints serve more than they list.

    Args:
        base_url, api_key: as for `models.endpoint.open_clients`.
        deadline: seconds for the whole question; it is asked once.

    Raises:
        ModelUnavailable: it cannot be reached in time.
        ConfigurationError: the key is refused, or the address has no list of models, so it is probably wrong.
        ModelOutputInvalid: something else than an OpenAI-compatible endpoint answered.
    """
    clients = open_clients(
        base_url=base_url, api_key=api_key, connect_timeout=deadline, read_timeout=deadline, max_retries=0
    )
    try:
        async with asyncio.timeout(deadline):
            page = await clients.asynchronous.models.list()
            return tuple(sorted({model.id for model in page.data}))
    except ModelError:
        raise
    except Exception as error:
        raise translate_model_error(error) from error
    finally:
        await clients.close()
