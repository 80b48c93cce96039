"""Floor 2: the projection layer, truth to resources to catalogue, rebuildable."""
