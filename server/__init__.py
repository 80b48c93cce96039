"""Floor 6: identity, routes and lifespan of the server."""
