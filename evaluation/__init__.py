"""Floor 6: data sets, evaluators, benchmarks."""
